import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readHarmModel } from "../../app/learned/harm-model.js";
import { IntakePolicy } from "../../model/intake-policy.js";
import { IntakeDecision } from "../../model/request.js";
import { textsInScripts } from "../../testing/texts-in-scripts.js";
import { intake } from "./intake.js";

const harm = await readHarmModel();
const policy = IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8")));

const judge = (user_request: string) =>
  intake(
    policy,
    { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: "2025-10-28T10:30:00Z", user_request },
    undefined,
    { harm },
  );

it.each(textsInScripts())("%s: 200 texts of any form are judged, each always the same way", (_name, texts) => {
  for (const text of texts) {
    const decision = judge(text);
    expect(IntakeDecision.safeParse(decision).error, JSON.stringify(text)).toBeUndefined();
    expect(JSON.stringify(judge(text))).toBe(JSON.stringify(decision));
  }
});
