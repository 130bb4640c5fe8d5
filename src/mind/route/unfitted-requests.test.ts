import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { route } from "./route.js";

/* Requests of authors whose texts no weight was fitted to, most of them not in English. */

const compiled = compilePolicy(parse(readFileSync("policy/routing.yaml", "utf8")), shippedModel("routing"));
if (!compiled.ok) throw new Error("the shipped policy does not load");
const { policy } = compiled;

interface Row {
  readonly id: string;
  readonly language: string;
  readonly expected_route: string;
  readonly text: string;
}
const rows = readFileSync("test/eval-fixtures/unfitted/requests-authors.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const isDev = ({ id, text }: Row) =>
  route(policy, { task_id: id, input: { body: text }, context_registry: [] }).routed_to === "dev";

describe("requests of authors that nothing was fitted to", () => {
  it("reach dev only where they belong there, in nineteen of twenty cases", () => {
    const dev = rows.filter(isDev);
    const wrong = dev.filter((row) => row.expected_route !== "dev").map(({ id }) => id);
    expect(dev.length).toBeGreaterThan(40);
    expect(wrong.length / dev.length, wrong.join(" ")).toBeLessThanOrEqual(0.05);
  });

  it("reach dev in two of three cases when they are technical and not in English", () => {
    const technical = rows.filter(({ language, expected_route: to }) => language !== "en" && to === "dev");
    const missed = technical.filter((row) => !isDev(row)).map(({ id }) => id);
    expect(technical.length).toBeGreaterThan(40);
    expect(missed.length / technical.length, missed.join(" ")).toBeLessThanOrEqual(0.33);
  });

  const ruleOf = (body: string) => {
    const decision = route(policy, { task_id: "t", input: { body }, context_registry: [] });
    return decision.status === "routed" ? decision.classification.rule_id : decision.status;
  };

  it.each([
    "In Datei src/tage.ts die Funktion `werktage` ergänzen",
    "Remplacer `substr` par `slice` dans src/texte.ts",
    "Cambia el color del enlace activo en nav.css",
    "Atualizar o postgres no docker-compose.yml para a versão 16",
    "把 src/date.ts 里的 moment 换成 dayjs",
    "src/format.ts の formatPrice に引数を追加する",
  ])("an order to change named code in another language reaches dev by rule: %s", (body) => {
    expect(ruleOf(body)).toBe("change_of_named_code_abroad");
  });

  it.each(["Ist es sinnvoll, src/date.ts zu ändern?", "希望把 src/date.ts 换成别的", "src/date.ts を変更できますか"])(
    "a question or a wish does not reach dev by that rule: %s",
    (body) => {
      expect(ruleOf(body)).not.toBe("change_of_named_code_abroad");
    },
  );
});
