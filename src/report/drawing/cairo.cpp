#include "report/drawing/cairo.h"

#include "creg/core/error.h"
#ifdef CREG_HAS_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <new>
#include <numbers>
#include <system_error>
#endif

namespace creg {

bool draws_pdf() {
#ifdef CREG_HAS_CAIRO
  return true;
#else
  return false;
#endif
}

#ifdef CREG_HAS_CAIRO
namespace {

constexpr double points_per_pixel = 0.75;
constexpr double png_scale = 2;

/// The functions of cairo that are used, by their own names.
class Cairo {
 public:
  Cairo() : library_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) fail(dlerror());
#define CREG_FIND(function) find(function, "cairo_" #function)
    CREG_FIND(create);
    CREG_FIND(destroy);
    CREG_FIND(status);
    CREG_FIND(scale);
    CREG_FIND(save);
    CREG_FIND(restore);
    CREG_FIND(translate);
    CREG_FIND(rotate);
    CREG_FIND(move_to);
    CREG_FIND(line_to);
    CREG_FIND(rectangle);
    CREG_FIND(arc);
    CREG_FIND(close_path);
    CREG_FIND(fill);
    CREG_FIND(fill_preserve);
    CREG_FIND(new_path);
    CREG_FIND(stroke);
    CREG_FIND(set_source_rgba);
    CREG_FIND(set_line_width);
    CREG_FIND(set_line_join);
    CREG_FIND(set_line_cap);
    CREG_FIND(set_dash);
    CREG_FIND(select_font_face);
    CREG_FIND(set_font_size);
    CREG_FIND(text_extents);
    CREG_FIND(show_text);
    CREG_FIND(surface_destroy);
    CREG_FIND(surface_finish);
    CREG_FIND(surface_status);
    CREG_FIND(status_to_string);
    CREG_FIND(image_surface_create);
    CREG_FIND(surface_write_to_png_stream);
    CREG_FIND(pdf_surface_create_for_stream);
    CREG_FIND(pdf_surface_restrict_to_version);
    CREG_FIND(pdf_surface_set_metadata);
#undef CREG_FIND
  }

  void check(cairo_status_t found) const {
    if (found == CAIRO_STATUS_SUCCESS) return;
    fail_environment({.what = "a figure could not be drawn",
                      .found = std::string("cairo: ") + status_to_string(found)});
  }

  decltype(&cairo_create) create{};
  decltype(&cairo_destroy) destroy{};
  decltype(&cairo_status) status{};
  decltype(&cairo_scale) scale{};
  decltype(&cairo_save) save{};
  decltype(&cairo_restore) restore{};
  decltype(&cairo_translate) translate{};
  decltype(&cairo_rotate) rotate{};
  decltype(&cairo_move_to) move_to{};
  decltype(&cairo_line_to) line_to{};
  decltype(&cairo_rectangle) rectangle{};
  decltype(&cairo_arc) arc{};
  decltype(&cairo_close_path) close_path{};
  decltype(&cairo_fill) fill{};
  decltype(&cairo_fill_preserve) fill_preserve{};
  decltype(&cairo_new_path) new_path{};
  decltype(&cairo_stroke) stroke{};
  decltype(&cairo_set_source_rgba) set_source_rgba{};
  decltype(&cairo_set_line_width) set_line_width{};
  decltype(&cairo_set_line_join) set_line_join{};
  decltype(&cairo_set_line_cap) set_line_cap{};
  decltype(&cairo_set_dash) set_dash{};
  decltype(&cairo_select_font_face) select_font_face{};
  decltype(&cairo_set_font_size) set_font_size{};
  decltype(&cairo_text_extents) text_extents{};
  decltype(&cairo_show_text) show_text{};
  decltype(&cairo_surface_destroy) surface_destroy{};
  decltype(&cairo_surface_finish) surface_finish{};
  decltype(&cairo_surface_status) surface_status{};
  decltype(&cairo_status_to_string) status_to_string{};
  decltype(&cairo_image_surface_create) image_surface_create{};
  decltype(&cairo_surface_write_to_png_stream) surface_write_to_png_stream{};
  decltype(&cairo_pdf_surface_create_for_stream) pdf_surface_create_for_stream{};
  decltype(&cairo_pdf_surface_restrict_to_version) pdf_surface_restrict_to_version{};
  decltype(&cairo_pdf_surface_set_metadata) pdf_surface_set_metadata{};

 private:
  static constexpr const char* name = "libcairo.so.2";

  [[noreturn]] static void fail(const char* problem) {
    fail_environment({.what = "PDF and PNG are drawn by cairo, which does not load",
                      .found = problem == nullptr ? "" : problem,
                      .hint = "install libcairo2, or draw SVG"});
  }

  template <class Function>
  void find(Function& function, const char* symbol) const {
    function = reinterpret_cast<Function>(dlsym(library_, symbol));
    if (function == nullptr) fail(dlerror());
  }

  // It stays for the rest of the process: fonts that it has loaded are kept.
  void* library_;
};

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

cairo_status_t append_bytes_to(void* text, const unsigned char* bytes, unsigned int count) {
  // No exception may pass through cairo.
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

class CairoCanvas final : public Canvas {
 public:
  CairoCanvas(const Cairo& cairo, cairo_surface_t* surface, double scale)
      : cairo_(cairo), context_(cairo.create(surface), cairo.destroy) {
    cairo_.scale(context_.get(), scale, scale);
    cairo_.set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
  }

  void line(double x1, double y1, double x2, double y2, const Stroke& stroke) override {
    cairo_.move_to(context_.get(), x1, y1);
    cairo_.line_to(context_.get(), x2, y2);
    draw_path("none", stroke, 1);
  }

  void polyline(const std::vector<Point>& points, const Stroke& stroke) override {
    trace(points);
    draw_path("none", stroke, 1);
  }

  void polygon(const std::vector<Point>& points, std::string_view fill, double opacity) override {
    trace(points);
    cairo_.close_path(context_.get());
    draw_path(fill, {}, opacity);
  }

  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 const Stroke& stroke, double opacity) override {
    cairo_.rectangle(context_.get(), x, y, width, height);
    draw_path(fill, stroke, opacity);
  }

  void circle(double x, double y, double radius, std::string_view fill) override {
    cairo_.new_path(context_.get());
    cairo_.arc(context_.get(), x, y, radius, 0, 2 * std::numbers::pi);
    draw_path(fill, {}, 1);
  }

  void text(double x, double y, std::string_view text, const TextStyle& style) override {
    const std::string whole = drawable_text(text);
    cairo_.save(context_.get());
    cairo_.select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                            style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_.set_font_size(context_.get(), style.size);
    cairo_text_extents_t extents;
    cairo_.text_extents(context_.get(), whole.c_str(), &extents);
    double back = 0;
    if (style.anchor == Anchor::middle) back = extents.x_advance / 2;
    if (style.anchor == Anchor::end) back = extents.x_advance;
    take_colour(style.colour, 1);
    cairo_.translate(context_.get(), x, y);
    cairo_.rotate(context_.get(), style.rotate * std::numbers::pi / 180);
    cairo_.move_to(context_.get(), -back, 0);
    cairo_.show_text(context_.get(), whole.c_str());
    cairo_.restore(context_.get());
    cairo_.new_path(context_.get());
  }

  void check() const { cairo_.check(cairo_.status(context_.get())); }

 private:
  void trace(const std::vector<Point>& points) {
    cairo_.new_path(context_.get());
    for (const Point& point : points) cairo_.line_to(context_.get(), point.x, point.y);
  }

  void take_colour(std::string_view colour, double opacity) {
    const auto part = [&](std::size_t at) {
      unsigned value = 0;
      std::from_chars(colour.data() + at, colour.data() + at + 2, value, 16);
      return value / 255.0;
    };
    cairo_.set_source_rgba(context_.get(), part(1), part(3), part(5), opacity);
  }

  void draw_path(std::string_view fill, const Stroke& stroke, double opacity) {
    if (fill != "none") {
      take_colour(fill, opacity);
      cairo_.fill_preserve(context_.get());
    }
    if (stroke.colour != "none") {
      take_colour(stroke.colour, 1);
      cairo_.set_line_width(context_.get(), stroke.width);
      std::vector<double> dashes;
      for (std::size_t at = 0; at < stroke.dashes.size();) {
        const std::size_t end = std::min(stroke.dashes.find(' ', at), stroke.dashes.size());
        dashes.push_back(std::stod(std::string(stroke.dashes.substr(at, end - at))));
        at = end + 1;
      }
      cairo_.set_dash(context_.get(), dashes.data(), static_cast<int>(dashes.size()), 0);
      cairo_.stroke(context_.get());
    }
    cairo_.new_path(context_.get());
  }

  const Cairo& cairo_;
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context_;
};

void draw_on(const Cairo& cairo, const Surface& surface, const Figure& figure, double scale) {
  cairo.check(cairo.surface_status(surface.get()));
  CairoCanvas canvas(cairo, surface.get(), scale);
  // A fraction of a pixel at the edge is one too.
  canvas.rectangle(0, 0, std::ceil(figure.width()), std::ceil(figure.height()), "#ffffff", {}, 1);
  figure.draw(canvas);
  canvas.check();
}

}  // namespace

std::string cairo_pdf(const Figure& figure) {
  const Cairo cairo;
  std::string file;
  const Surface surface(
      cairo.pdf_surface_create_for_stream(append_bytes_to, &file, figure.width() * points_per_pixel,
                                          figure.height() * points_per_pixel),
      cairo.surface_destroy);
  // What every publisher takes, and the same from older and newer versions of cairo.
  cairo.pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  cairo.pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                 drawable_text(figure.title()).c_str());
  cairo.pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT,
                                 drawable_text(figure.description()).c_str());
  // The same bytes for the same figure.
  cairo.pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                 "2000-01-01T00:00:00Z");
  draw_on(cairo, surface, figure, points_per_pixel);
  cairo.surface_finish(surface.get());
  cairo.check(cairo.surface_status(surface.get()));
  return file;
}

std::string cairo_png(const Figure& figure) {
  const Cairo cairo;
  const Surface surface(
      cairo.image_surface_create(CAIRO_FORMAT_RGB24,
                                 static_cast<int>(std::lround(figure.width() * png_scale)),
                                 static_cast<int>(std::lround(figure.height() * png_scale))),
      cairo.surface_destroy);
  draw_on(cairo, surface, figure, png_scale);
  std::string file;
  cairo.check(cairo.surface_write_to_png_stream(surface.get(), append_bytes_to, &file));
  return file;
}

#else

namespace {

[[noreturn]] void fail_without_cairo() {
  fail_environment({.what = "this build draws SVG alone: PDF and PNG are drawn by cairo",
                    .hint = "install libcairo2-dev and build again, or draw SVG"});
}

}  // namespace

std::string cairo_pdf(const Figure& /*figure*/) {
  fail_without_cairo();
}

std::string cairo_png(const Figure& /*figure*/) {
  fail_without_cairo();
}

#endif

}  // namespace creg
