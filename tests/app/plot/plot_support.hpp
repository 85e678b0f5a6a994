#pragma once
/// Synthetic `bench --format json` documents for the tests of figures.

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/plot/canvas.hpp"
#include "app/plot/plot.hpp"

namespace tri::app::test {

using Json = nlohmann::ordered_json;

/// Of documents of a bench, each a file of its own.
inline PlotData data_of(const std::vector<Json>& documents) {
  PlotData data;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    add_document(data, "file" + std::to_string(i) + ".json", documents[i].dump());
  }
  return data;
}

/// A timed row that passed its check: `ms` with quartiles at 0.9 and 1.1 of it, an improvement with 0.05 around it.
inline Json timed_row(const std::string& kernel, const std::string& map, int n, double ms, double improvement) {
  const int side = (n + 15) / 16;
  Json row = {{"kernel", kernel}, {"map", map}, {"backend", "cpu"}, {"n", n}, {"block", 16}, {"features", nullptr}};
  row["samples"] = 5;
  row["median_ms"] = ms;
  row["iqr_ms"] = 0.2 * ms;
  row["improvement"] = improvement;
  row["bound"] = map == "bb" ? 1.0 : 2.0 * side / (side + 1);
  row["work_items"] = n * (n + 1LL) / 2;
  row["items_per_s"] = static_cast<double>(n) * (n + 1) / 2 / (ms * 1e-3);
  row["bytes_per_s"] = nullptr;
  row["check"] = {{"passed", true}, {"max_rel_err", 0.0}, {"reference", "made up"}};
  row["skipped"] = nullptr;
  row["improvement_low"] = improvement - 0.05;
  row["improvement_high"] = improvement + 0.05;
  row["confidence"] = 0.9375;
  row["precision"] = "fp32";
  row["seed"] = 42;
  row["samples_ms"] = {0.8 * ms, 0.9 * ms, ms, 1.1 * ms, 1.2 * ms};
  return row;
}

inline Json skipped_row(const std::string& kernel, const std::string& map, int n, const std::string& reason) {
  Json row = timed_row(kernel, map, n, 1, 1);
  for (const char* key : {"median_ms", "iqr_ms", "improvement", "bound", "items_per_s", "check", "block"}) {
    row[key] = nullptr;
  }
  row["samples"] = 0, row["samples_ms"] = Json::array(), row["skipped"] = reason;
  return row;
}

inline Json document(std::vector<Json> rows, const std::string& device = "a device") {
  Json j = {{"schema", 1}};
  j["meta"] = {{"version", "0.1.0+abc"},
               {"argv", {"/usr/bin/triangulum", "bench", "--n", "2^10:2^12"}},
               {"utc", "2026-01-31T12:34:56Z"},
               {"host", "h"},
               {"device", device},
               {"driver", "1.2"},
               {"baseline", "bb"}};
  j["results"] = Json::array();
  for (Json& row : rows) j["results"].push_back(std::move(row));
  return j;
}

/// bb and lambda at n = 1024, 2048, 4096: T(bb) = n^2 / 2^20 ms, T(lambda) half of it.
inline Json simple_document(const std::string& kernel = "dummy") {
  std::vector<Json> rows;
  for (const int n : {1024, 2048, 4096}) {
    const double ms = static_cast<double>(n) * n / (1 << 20);
    rows.push_back(timed_row(kernel, "bb", n, ms, 1));
    rows.push_back(timed_row(kernel, "lambda", n, ms / 2, 2));
  }
  return document(std::move(rows));
}

// Written figures as their elements.

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::string group;  ///< <title> of the innermost <g> that has one
  double number(const char* key) const { return std::stod(attributes.at(key)); }
};

/// A strict XML reader that rejects what real ones reject: unmatched tags, bare & and <, duplicate
/// attributes.
class Xml {
 public:
  explicit Xml(std::string text) : text_(std::move(text)) { read(); }

  std::vector<Element> all(const std::string& name, const std::string& group = "") const {
    std::vector<Element> found;
    std::copy_if(elements.begin(), elements.end(), std::back_inserter(found),
                 [&](const Element& e) { return e.name == name && (group.empty() || e.group == group); });
    return found;
  }
  Element text(const std::string& words) const {
    for (const Element& e : all("text")) {
      if (e.text == words) return e;
    }
    ADD_FAILURE() << "missing text '" << words << "'";
    return {};
  }

  std::vector<Element> elements;

 private:
  void read() {
    EXPECT_EQ(text_.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 0), 0u);
    at_ = text_.find("?>") + 2;
    std::vector<std::size_t> open;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        const std::string words = plain(text_.substr(at_, end - at_));
        if (!open.empty()) elements[open.back()].text += words;
        at_ = end;
      } else if (text_[at_ + 1] == '/') {
        const std::string name = text_.substr(at_ + 2, text_.find('>', at_) - at_ - 2);
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(elements[open.back()].name, name);
        const std::string words = elements[open.back()].text;
        open.pop_back();
        if (name == "tspan") elements[open.back()].text += "^" + words;
        if (name == "title" && !open.empty()) groups_[open.back()] = words;
        at_ = text_.find('>', at_) + 1;
      } else {
        tag(open);
      }
    }
    EXPECT_TRUE(open.empty());
  }

  std::string plain(std::string words) {
    static const std::pair<const char*, const char*> kNames[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
    for (std::size_t at = 0; (at = words.find('&', at)) != std::string::npos; ++at) {
      const auto* name = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) {
        return words.compare(at, std::strlen(n.first), n.first) == 0;
      });
      EXPECT_NE(name, std::end(kNames)) << words;
      if (name != std::end(kNames)) words.replace(at, std::strlen(name->first), name->second);
    }
    return words;
  }

  void tag(std::vector<std::size_t>& open) {
    const std::size_t end = text_.find('>', at_);
    const bool closed = text_[end - 1] == '/';
    std::istringstream words(text_.substr(at_ + 1, end - at_ - 1 - (closed ? 1 : 0)));
    Element e;
    words >> e.name >> std::ws;
    for (std::string key; std::getline(words, key, '=') >> std::ws;) {
      std::string value;
      EXPECT_EQ(words.get(), '"');
      std::getline(words, value, '"');
      EXPECT_EQ(value.find('<'), std::string::npos);
      EXPECT_TRUE(e.attributes.emplace(key, plain(value)).second) << key;
      words >> std::ws;
    }
    for (const std::size_t o : open) {
      if (groups_.count(o) && o > 0) e.group = groups_[o];
    }
    if (!closed) open.push_back(elements.size());
    elements.push_back(std::move(e));
    at_ = end + 1;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::map<std::size_t, std::string> groups_;
};

/// Positions are written in hundredths.
inline constexpr double kHundredth = 0.011;

/// The page is `width` mm wide, nothing lies outside it, and no text lies on another.
inline void expect_readable(const Xml& svg, u32 width) {
  const Element root = svg.all("svg").at(0);
  EXPECT_EQ(root.attributes.at("width"), std::to_string(width) + "mm");
  std::istringstream view(root.attributes.at("viewBox"));
  double zero = 0, right = 0, bottom = 0;
  view >> zero >> zero >> right >> bottom;
  EXPECT_NEAR(right, width * 72 / 25.4, kHundredth);
  const std::vector<Element> texts = svg.all("text");
  std::vector<PlotBox> boxes;
  for (const Element& e : texts) {
    const Font font{e.number("font-size"), Anchor::start, e.attributes.count("font-weight") > 0};
    // A tenth less: the reserved width exceeds that of any font.
    const double length = 0.9 * text_width(e.text, font), size = font.size;
    const std::string anchor = e.attributes.at("text-anchor");
    const double left = e.number("x") - (anchor == "end" ? length : anchor == "middle" ? length / 2 : 0);
    boxes.push_back({left, e.number("y") - 0.7 * size, length, 0.75 * size});
    EXPECT_GE(left, 0) << e.text;
    EXPECT_LE(left + length, right) << e.text << " at width " << width;
    EXPECT_LE(e.number("y"), bottom) << e.text;
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const PlotBox &a = boxes[i], &b = boxes[j];
      EXPECT_FALSE(a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom())
          << texts[i].text << " on " << texts[j].text << " at width " << width;
    }
  }
}

}  // namespace tri::app::test
