import type { TaskType } from "../../model/task.js";
import { isTechnology } from "../../foundation/text/technologies.js";
import { fold, plain } from "./fold.js";

/** Where in the flow of data a task works: what comes earlier has to be there for what comes later. */
export type Layer = "data" | "service" | "interface" | "test" | "docs" | null;

const TESTS =
  /\b(?:tests?|testing|specs|test (?:suite|case|coverage)s?|e2e|pruebas?|testes?|testen|tester|testfalle|testgevallen)\b|测试|測試|テスト/;
const TEST_VERB =
  /^(?:write|add|create|extend|automate|implement|build|cover|test|verify|validate|simulate|ecrire|ajouter|schreiben|escribir|anadir|agregar|escrever|adicionar|scrivere|aggiungere|schrijf|编写|添加|补充)\b|^(?:unit|integration|end-to-end|e2e|regression|load|acceptance)?[\s-]*tests?\b|(?:schreiben|schrijven|erganzen|toevoegen)[.;]?$|^(?:编写|添加|增加|补充).*测试|テスト.*(?:書|追加|作成|実装)|^测试/;
const DOCS =
  /\b(?:document|documents|documentation|docs|readme|changelog|guides?|runbooks?|playbooks?|tutorials?|wiki|user manual|release notes|documenter|documentar|documentare|documenteren|dokumentation|dokumentieren|documentacion|documentacao|documentazione|documentatie|handbuch|handleiding)\b|文档|文件说明|ドキュメント|文書|手順書/;
const DOCS_VERB =
  /^(?:write|update|add|create|extend|publish|document|communicate|announce|describe|explain|inform|maintain)\b/;
/** To write down and to tell is to document, whatever it is written in. */
const TELLS =
  /^(?:document|dokumentier|documenter|documentar|documentare|documenteer|write down|describe|announce|explain|communicate|(?:tell|train|teach) (?:the |all |our |every )?(?:\w+ )?(?:teams?|developers?|colleagues|staff|stakeholders)\b)/;
const FIX =
  /^(?:fix|repair|correct|resolve|hotfix|patch|corriger|reparer|beheben|korrigieren|reparieren|corregir|arreglar|corrigir|correggere|herstel|repareer|修复|修正|修复)|\bbugs?\b/;
const INFRA =
  /\b(?:deploy\w*|provision\w*|ci|cd|ci\/cd|pipelines?|terraform|kubernetes|k8s|docker\w*|helm|infrastructure|dns|buckets?|vpcs?|subnets?|clusters?|environments?|monitoring|alert(?:s|ing)?|dashboards? in grafana|grafana|prometheus|github actions?|gitlab ci|renovate|dependabot|gradle|maven|bazel|turborepo|build cache|cron ?jobs?|loki|datadog|log shipping|jenkins|ansible|puppet|load balancer|firewall|secrets?|certificates?|hosting|servers?|deployen|bereitstellen|desplegar|implantar|distribuire|uitrollen)\b|部署|基础设施|流水线|デプロイ|インフラ/;
const QUALITY =
  /^(?:refactor|rename|clean|remove|delete|drop|lint|format|deprecate|simplify|extract|restructure|split|consolidate|rewrite|decouple|upgrade|bump|retire|archive|decommission|sunset|phase out|abandon|supprimer|retirer|renommer|entfernen|loschen|umbenennen|eliminar|quitar|renombrar|remover|excluir|renomear|rimuovere|eliminare|verwijder|hernoem|重构|删除|移除|清理)|(?:entfernen|loschen|umbenennen|verwijderen|hernoemen)[.;]?$|\b(?:linter|lint(?:ing)? rules?|eslint|code style|static analysis|dead code|technical debt)\b|(?:削除|リファクタリング)/;

const OURS =
  /^(?:we|the team|our team) (?:will|shall|must|should|need to|have to|are going to)(?: also| now| then| need to| have to)* /;
const WRITTEN = /\b(?:documented|(?:be|been) (?:updated|written|extended|added|created|adjusted))\b/;

/** The kind of work, by its words; a feature when nothing says otherwise. */
export function typeOf(text: string): TaskType {
  const words = fold(plain(text))
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(OURS, "");
  const behind = words.replace(/^[^:：—–]{1,60}(?:[:：]|\s[—–-])\s*/, "");
  const either = (pattern: RegExp) => pattern.test(words) || pattern.test(behind);
  if (TESTS.test(words) && either(TEST_VERB)) return "test";
  if (
    either(TELLS) ||
    (DOCS.test(words) && (either(DOCS_VERB) || WRITTEN.test(words))) ||
    /\b(?:documented|dokumentieren|documenteren)[.;]?$/.test(words)
  )
    return "docs";
  if (either(FIX)) return "bugfix";
  if (/(?:文档|ドキュメント)/.test(words) || (DOCS.test(words) && words.split(" ").length <= 6)) return "docs";
  if (either(QUALITY)) return "quality";
  return INFRA.test(words) ? "infra" : "feature";
}

const DATA =
  /\b(?:migrations?|tables?|schemas?|columns?|databases?|db|index(?:es)?|entit(?:y|ies)|data model|migration|tabelle|datenbank|schema|spalte|table|base de donnees|tabla|base de datos|columna|tabela|banco de dados|coluna|tabella|colonna|tabel|kolom)\b|数据库|数据表|迁移|データベース|テーブル|マイグレーション/;
const SERVICE =
  /\b(?:apis?|endpoints?|routes?|services?|handlers?|controllers?|back-?end|grpc|graphql|rest|resolvers?|repository|use cases?|schnittstelle|endpunkt|dienst|servicio|servico|servizio|eindpunt|dienst)\b|接口|服务|エンドポイント|サービス/;
const INTERFACE =
  /\b(?:ui|uis|forms?|pages?|screens?|components?|front-?end|buttons?|views?|dashboards?|widgets?|dialogs?|formulaire|ecran|page|formular|oberflache|seite|formulario|pantalla|formulario|tela|pagina|modulo|scherm|formulier)\b|界面|页面|表单|画面|フォーム/;

export function layerOf(text: string, type: TaskType): Layer {
  if (type === "test") return "test";
  if (type === "docs") return "docs";
  const words = fold(plain(text));
  // "API endpoint for the form": the first thing named is the one that is built.
  const places: { readonly layer: Layer; readonly at: number }[] = [
    { layer: "data", at: words.search(DATA) },
    { layer: "service", at: words.search(SERVICE) },
    { layer: "interface", at: words.search(INTERFACE) },
  ];
  return places.filter(({ at }) => at !== -1).toSorted((a, b) => a.at - b.at)[0]?.layer ?? null;
}

const FOLDERS = /^(?:[\w.@*{},-]+\/)+[\w.@*{},-]*[\w*}]$/;
const FILE =
  /^[\w.-]+\.(?:c|cc|cpp|cs|css|env|go|h|html|java|js|json|jsx|kt|md|mjs|php|proto|py|rb|rs|scss|sh|sql|swift|tf|toml|ts|tsx|vue|xml|yaml|yml)$/;
const LONGEST_PATH = 200;

/** The paths a text names in code or as plain words; addresses on the network and names of technologies are none. */
export function pathsIn(text: string): readonly string[] {
  const local = text.replaceAll(/\]\([^()]{0,2000}\)/g, "] ");
  const found = local.split(/\s+/).flatMap((word) => {
    if (word.length > LONGEST_PATH + 20 || /^\W?[a-z][a-z+.-]*:\/\//i.test(word)) return [];
    const inCode = word.includes("`");
    const path = word.replaceAll(/^[^\w.@*{/]+|[^\w*}/]+$/g, "").replace(/^\.\//, "");
    if (FILE.test(path)) return !inCode && isTechnology(path) ? [] : [path];
    // Outside of code, "and/or" is not a path: one needs an ending or a wild card.
    return FOLDERS.test(path) && (inCode || /\.[a-z]{1,5}$|\*/.test(path)) ? [path] : [];
  });
  return [...new Set(found)].filter((path) => path.length <= LONGEST_PATH);
}

export function isTestPath(path: string): boolean {
  return /(?:^|[/_.-])(?:tests?|specs?|__tests__|e2e)(?:[/_.-]|$)/i.test(path);
}
