// The module triangulum-picture: figures as PNG and PDF by librsvg and cairo.

#include "app/plot/picture.hpp"

#include <cairo-pdf.h>
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <cstdio>
#include <memory>

namespace {

constexpr double kPointsAnInch = 72;
/// Cairo's images have no more pixels a side.
constexpr double kMaxPixels = 32767;

struct Sink {
  TriPictureSink write;
  void* to;
};

cairo_status_t write_piece(void* closure, const unsigned char* data, unsigned size) {
  const auto* sink = static_cast<const Sink*>(closure);
  return sink->write(sink->to, data, size) != 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

template <auto* kFree>
struct Free {
  template <class T>
  void operator()(T* p) const {
    kFree(p);
  }
};
using Handle = std::unique_ptr<RsvgHandle, Free<&g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Free<&cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Free<&cairo_destroy>>;

/// Draws the document onto the surface; null, or the reason.
const char* draw(RsvgHandle* handle, cairo_surface_t* surface, double width, double height) {
  const Context context(cairo_create(surface));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  const RsvgRectangle whole{0, 0, width, height};
  if (!rsvg_handle_render_document(handle, context.get(), &whole, nullptr)) return "librsvg could not draw it";
  const cairo_status_t status = cairo_status(context.get());
  return status == CAIRO_STATUS_SUCCESS ? nullptr : cairo_status_to_string(status);
}

const char* draw_picture(const char* svg, std::size_t size, bool pdf, double dpi, Sink& sink) {
  const Handle handle(rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg), size, nullptr));
  if (!handle) return "librsvg could not read it";
  rsvg_handle_set_dpi(handle.get(), pdf ? kPointsAnInch : dpi);
  double width = 0, height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height)) return "it has no size";
  if (!pdf && (width > kMaxPixels || height > kMaxPixels)) return "it has more than 32,767 pixels a side";
  const Surface surface(pdf ? cairo_pdf_surface_create_for_stream(write_piece, &sink, width, height)
                            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                                         static_cast<int>(std::ceil(height))));
  // For every reader, and the same from every cairo: 1.18 writes 1.7, which packs what describes the page.
  if (pdf) cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  if (const char* problem = draw(handle.get(), surface.get(), width, height)) return problem;
  if (pdf) {
    cairo_surface_finish(surface.get());
  } else {
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), write_piece, &sink);
    if (status != CAIRO_STATUS_SUCCESS) return cairo_status_to_string(status);
  }
  const cairo_status_t status = cairo_surface_status(surface.get());
  return status == CAIRO_STATUS_SUCCESS ? nullptr : cairo_status_to_string(status);
}

}  // namespace

int tri_draw_picture(const char* svg, std::size_t size, int pdf, double dpi, TriPictureSink write, void* to,
                     char* error, std::size_t error_size) {
  Sink sink{write, to};
  const char* problem = draw_picture(svg, size, pdf != 0, dpi, sink);
  if (problem == nullptr) return 1;
  std::snprintf(error, error_size, "%s", problem);
  return 0;
}
