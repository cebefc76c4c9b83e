#include "tools/raf/RunConfig.h"

#include "common/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;

} // namespace

std::string RunConfig::toJson() const {
  Json json;
  json["model"] = model;
  json["loss"] = loss;
  json["amp"] = amp;
  json["optimizer"] = {{"name", optimizer.name}, {"hyper", optimizer.hyper}};
  json["clip"] = clip;
  json["grad_accum"] = gradAccum;
  json["data"] = data;
  json["tokenizer"] = tokenizer;
  json["samples"] = samples;
  json["batch"] = batch;
  json["schedule"] = schedule;
  json["lr"] = lr;
  json["least_lr"] = leastLr;
  json["warmup"] = warmup;
  json["steps"] = steps;
  return json.dump();
}

RunConfig RunConfig::fromJson(const std::string &text, const std::string &where) {
  try {
    const Json json = Json::parse(text);
    RunConfig config;
    json.at("model").get_to(config.model);
    json.at("loss").get_to(config.loss);
    json.at("amp").get_to(config.amp);
    json.at("optimizer").at("name").get_to(config.optimizer.name);
    json.at("optimizer").at("hyper").get_to(config.optimizer.hyper);
    json.at("clip").get_to(config.clip);
    json.at("grad_accum").get_to(config.gradAccum);
    json.at("data").get_to(config.data);
    json.at("tokenizer").get_to(config.tokenizer);
    json.at("samples").get_to(config.samples);
    json.at("batch").get_to(config.batch);
    json.at("schedule").get_to(config.schedule);
    json.at("lr").get_to(config.lr);
    json.at("least_lr").get_to(config.leastLr);
    json.at("warmup").get_to(config.warmup);
    json.at("steps").get_to(config.steps);
    return config;
  } catch (const nlohmann::json::exception &error) {
    throw InvalidFileError(
        fmt::format("{}: expected the configuration of a run: {}", where, error.what()));
  }
}

std::string canonicalModel(const std::string &model) {
  std::error_code ignored;
  if (std::filesystem::exists(model, ignored))
    return std::filesystem::absolute(model).lexically_normal();
  return model;
}

std::vector<std::string> requireSameRun(const RunConfig &saved, const RunConfig &now) {
  auto same = [](const char *option, const auto &before, const auto &after) {
    if (before != after)
      throw UsageError(
          fmt::format("--resume: the checkpoint was made with {} '{}', but this run has '{}'",
                      option, before, after));
  };
  same("model", saved.model, now.model);
  same("--loss", saved.loss, now.loss);
  same("--amp", saved.amp, now.amp);
  same("--optimizer", saved.optimizer.name, now.optimizer.name);
  same("optimizer options", Json(saved.optimizer.hyper).dump(), Json(now.optimizer.hyper).dump());
  same("--clip", saved.clip, now.clip);
  same("--batch", saved.batch, now.batch);
  same("--tokenizer", saved.tokenizer, now.tokenizer);

  std::vector<std::string> changed;
  auto remark = [&](const char *option, const auto &before, const auto &after) {
    if (before != after)
      changed.push_back(fmt::format("{} was {}, now {}", option, before, after));
  };
  remark("--lr", saved.lr, now.lr);
  remark("--schedule", saved.schedule, now.schedule);
  remark("--warmup", saved.warmup, now.warmup);
  remark("--least-lr", saved.leastLr, now.leastLr);
  remark("--steps", saved.steps, now.steps);
  return changed;
}

} // namespace raf::tool
