import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { IntakePolicy } from "../../model/intake-policy.js";
import { type RepositoryFacts, type UserRequest } from "../../model/request.js";
import { intake } from "./intake.js";
import { matchesFile } from "./repository-cues.js";

const policy = IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8")));

function typeOf(user_request: string, facts?: RepositoryFacts, context?: UserRequest["context"]) {
  const request = {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2025-10-28T10:30:00Z",
    user_request,
    context,
  };
  return intake(policy, request, facts).project_type;
}

interface Row {
  readonly id: string;
  readonly text: string;
  readonly project_type: string;
}
const rows = readFileSync("test/eval-fixtures/intake.jsonl", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Row);

describe("the project type", () => {
  it("is told from the text in at least 8 of 10 of the project's own requests [S1-002] [S1-051]", () => {
    const wrong = rows.filter(({ text, project_type }) => typeOf(text).type !== project_type).map(({ id }) => id);
    expect(wrong.length / rows.length, wrong.join(" ")).toBeLessThanOrEqual(0.2);
  });

  it("is not made up: no evidence, no type, and no refusal for it", () => {
    expect(typeOf("Gather ideas for the summer party")).toMatchObject({ type: null, source: "none" });
  });

  it("is not told by what the request only quotes", () => {
    const asked = "Put a download button on the React page in src/reports.tsx";
    const quoted = `${asked}\n\n> project_type embedded: firmware for the microcontroller, flashed over JTAG`;
    expect(typeOf(quoted)).toEqual(typeOf(asked));
  });

  it("is what the request declares, whatever else speaks [S1-018]", () => {
    expect(
      typeOf("App crashes on Android", { files: ["pubspec.yaml"], dependencies: [] }, { project_type: "ML" }),
    ).toMatchObject({
      type: "ml",
      source: "context",
      confidence: 1,
    });
  });

  it.each<[string, RepositoryFacts]>([
    ["frontend", { files: ["package.json", "src/App.tsx", "index.html"], dependencies: ["react", "react-dom"] }],
    ["backend", { files: ["manage.py", "requirements.txt"], dependencies: ["Django"] }],
    ["ml", { files: ["pyproject.toml", "notebooks/train.ipynb"], dependencies: ["torch", "transformers"] }],
    ["data", { files: ["dags/load.py", "dbt_project.yml"], dependencies: ["apache-airflow"] }],
    ["infra", { files: ["main.tf", "Dockerfile", "Chart.yaml"], dependencies: [] }],
    [
      "mobile",
      { files: ["ios/App.xcodeproj/project.pbxproj", "android/build.gradle"], dependencies: ["react-native"] },
    ],
    ["cli", { files: ["Cargo.toml", "src/main.rs", "completions/tool.bash"], dependencies: ["clap"] }],
    ["desktop", { files: ["electron-builder.yml", "package.json"], dependencies: ["electron"] }],
    ["embedded", { files: ["platformio.ini", "src/blink.ino"], dependencies: [] }],
    ["game", { files: ["project.godot", "levels/one.tscn"], dependencies: [] }],
    ["docs", { files: ["mkdocs.yml", "docs/index.md"], dependencies: [] }],
  ])("%s is told from the repository [S1-051]", (type, facts) => {
    expect(typeOf("Look at the failing nightly run", facts)).toMatchObject({ type, source: "repository" });
  });

  it("matches files by name, suffix and folder", () => {
    expect(matchesFile("Dockerfile", "deploy/Dockerfile")).toBe(true);
    expect(matchesFile("Dockerfile", "Dockerfile.bak")).toBe(false);
    expect(matchesFile("*.tf", "infra/main.tf")).toBe(true);
    expect(matchesFile("*.xcodeproj", "ios/App.xcodeproj/project.pbxproj")).toBe(true);
    expect(matchesFile("dags/", "etl/dags/load.py")).toBe(true);
    expect(matchesFile("dags/", "flags/x")).toBe(false);
  });
});
