// Validators whose messages say what was expected.
#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace raf::tool {

/// A finite number >= `least`.
inline CLI::Validator atLeast(double least) {
  return CLI::Validator(
      [least](const std::string &text) {
        double value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
            value < least)
          return fmt::format("expected a number of at least {}, but got '{}'", least, text);
        return std::string();
      },
      "");
}

} // namespace raf::tool
