// Figures as PDF and PNG, by cairo, which is loaded when the first one is drawn: it brings a dozen
// libraries along that no other command needs.
#pragma once

#include <string>

#include "report/drawing/canvas.h"

namespace creg {

/// Environment errors where cairo is not there or runs out of memory. The fonts are in the PDF.
std::string cairo_pdf(const Figure& figure);
std::string cairo_png(const Figure& figure);

}  // namespace creg
