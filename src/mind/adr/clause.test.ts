import { describe, expect, it } from "vitest";
import { standingOf } from "./clause.js";
import { obligationIn } from "./obliges.js";

describe("the main clause of a sentence", () => {
  it.each([
    ["refused", "We will not add a second queue."],
    ["refused", "Do not publish nightly builds."],
    ["refused", "Until there is a mirror, we will not add platforms."],
    ["refused", "Der alte Dienst wird nicht ersetzt."],
    ["refused", "Nous ne remplaçons pas la base."],
    ["refused", "No usamos una cola nueva."],
    ["refused", "Não vamos trocar o banco."],
    ["refused", "Non useremo un'altra coda."],
    ["refused", "De oude dienst wordt niet vervangen."],
    ["refused", "Мы не будем менять базу."],
    ["refused", "暂不引入消息队列。"],
    ["refused", "キューは導入しない。"],
    ["kept", "We will continue to use one queue."],
    ["kept", "Both readers remain in place."],
    ["kept", "Der Vergleich bleibt, wie er ist."],
    ["kept", "La base reste la même."],
    ["done", "The old reader was removed."],
    ["done", "We reverted the change."],
    ["done", "Создана таблица заказов."],
    ["done", "Die Tabelle wurde angelegt."],
    ["tentative", "We might move the readers."],
    ["effort", "We will need to learn how it works."],
    ["sometimes", "We publish packages for new platforms as needed."],
    ["sometimes", "Example: one queue instead of two."],
  ])("is %s: %s", (standing, sentence) => {
    expect(standingOf(sentence)).toBe(standing);
  });

  it.each([
    "We will use one queue.",
    "Keep the old table and add a new one.",
    "Wir ersetzen die Warteschlange.",
    "Les agents dont le nom est vide sont exclus.",
    "Disable the feature for the beta.",
    "We decided to move to one queue.",
    "Use a queue that does not lose messages.",
    "将旧表迁移到新库。",
    "",
  ])("may ask for work: %s", (sentence) => {
    expect(standingOf(sentence)).toBeNull();
  });
});

describe("an obligation", () => {
  it.each([
    ["ours", "We will need to update the guide."],
    ["passive", "The images should be updated to the new base."],
    ["needs", "It requires an upgrade of the driver."],
    ["other", "Il faudra migrer les sessions."],
    ["other", "Wir müssen die Sitzungen übertragen."],
    ["other", "Необходимо перенести таблицу."],
    ["other", "我们需要在下个版本更新文档。"],
  ])("is %s: %s", (kind, sentence) => {
    expect(obligationIn(sentence)).toBe(kind);
  });

  it.each(["It is simpler.", "If the store fails, keys must be replaced.", "Do we need to update the guide?", ""])(
    "is not in: %s",
    (sentence) => {
      expect(obligationIn(sentence)).toBeNull();
    },
  );
});
