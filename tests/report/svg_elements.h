// Reads SVG as strictly as XML is read, for tests of what is drawn.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "core/utf8.h"

namespace creg::test {

struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< as written, with its entities

  double number(const std::string& attribute) const { return std::stod(attributes.at(attribute)); }
};

/// The elements in their order. Anything that is not well-formed fails the test.
inline std::vector<SvgElement> svg_elements(const std::string& svg) {
  EXPECT_TRUE(decode_utf8(svg).has_value()) << "not UTF-8";
  std::vector<SvgElement> elements;
  std::vector<std::size_t> open;
  const auto check_text = [&](const std::string& text) {
    EXPECT_EQ(text.find('<'), std::string::npos) << text;
    for (std::size_t i = text.find('&'); i != std::string::npos; i = text.find('&', i + 1)) {
      const std::string rest = text.substr(i, 7);
      const bool known = rest.starts_with("&amp;") || rest.starts_with("&lt;") ||
                         rest.starts_with("&gt;") || rest.starts_with("&quot;") ||
                         rest.starts_with("&#39;");
      EXPECT_TRUE(known) << rest;
    }
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  };
  std::size_t at = 0;
  while (at < svg.size()) {
    const std::size_t begin = svg.find('<', at);
    const std::string between = svg.substr(at, begin - at);
    check_text(between);
    if (begin == std::string::npos) break;
    if (!open.empty()) elements[open.back()].text += between;
    const std::size_t end = svg.find('>', begin);
    if (end == std::string::npos) {
      ADD_FAILURE() << "a tag without its end";
      break;
    }
    std::string tag = svg.substr(begin + 1, end - begin - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      EXPECT_FALSE(open.empty());
      if (open.empty()) break;
      EXPECT_EQ(tag.substr(1), elements[open.back()].name);
      open.pop_back();
      continue;
    }
    const bool closed = tag.ends_with('/');
    if (closed) tag.pop_back();
    EXPECT_TRUE(elements.empty() || !open.empty()) << "more than one root";
    SvgElement element;
    std::size_t i = 0;
    while (i < tag.size() && std::isspace(static_cast<unsigned char>(tag[i])) == 0) ++i;
    element.name = tag.substr(0, i);
    while (i < tag.size()) {
      while (i < tag.size() && tag[i] == ' ') ++i;
      const std::size_t equals = tag.find("=\"", i);
      if (equals == std::string::npos) {
        EXPECT_EQ(i, tag.size()) << tag;
        break;
      }
      const std::size_t quote = tag.find('"', equals + 2);
      const std::string value = tag.substr(equals + 2, quote - equals - 2);
      check_text(value);
      EXPECT_EQ(value.find("nan"), std::string::npos) << tag;
      EXPECT_EQ(value.find("inf"), std::string::npos) << tag;
      EXPECT_TRUE(element.attributes.emplace(tag.substr(i, equals - i), value).second) << tag;
      i = quote + 1;
    }
    elements.push_back(element);
    if (!closed) open.push_back(elements.size() - 1);
  }
  EXPECT_TRUE(open.empty()) << "tags without their end";
  return elements;
}

inline std::vector<SvgElement> named(const std::vector<SvgElement>& elements,
                                     const std::string& name) {
  std::vector<SvgElement> out;
  for (const SvgElement& element : elements) {
    if (element.name == name) out.push_back(element);
  }
  return out;
}

struct TextBox {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;
};

/// Where texts lie, by the widths of a common sans-serif font.
inline std::vector<TextBox> text_boxes(const std::vector<SvgElement>& elements) {
  std::vector<TextBox> boxes;
  for (const SvgElement& element : named(elements, "text")) {
    const double size = element.number("font-size");
    const auto characters = decode_utf8(element.text).value_or(U"").size();
    const double width = 0.56 * size * static_cast<double>(characters);
    const double x = element.number("x");
    const double y = element.number("y");
    const auto anchor = element.attributes.find("text-anchor");
    double left = x;
    if (anchor != element.attributes.end()) {
      left = anchor->second == "middle" ? x - width / 2 : x - width;
    }
    TextBox box{element.text, left, left + width, y - 0.75 * size, y + 0.2 * size};
    if (element.attributes.contains("transform")) {  // by a quarter turn around its middle
      box = {element.text, x - size, x + size, y - width / 2, y + width / 2};
    }
    boxes.push_back(box);
  }
  return boxes;
}

/// No two texts overlap, and all lie on the drawing.
inline void expect_readable(const std::vector<SvgElement>& elements) {
  const std::vector<TextBox> boxes = text_boxes(elements);
  const double width = elements.front().number("width");
  const double height = elements.front().number("height");
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    EXPECT_TRUE(a.left >= 0 && a.right <= width && a.top >= 0 && a.bottom <= height) << a.text;
    for (std::size_t j = 0; j < i; ++j) {
      const TextBox& b = boxes[j];
      const bool apart =
          a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      EXPECT_TRUE(apart) << "'" << a.text << "' lies on '" << b.text << "'";
    }
  }
}

}  // namespace creg::test
