/*
 * How each language says that it defines a name and that it uses another file. Regular expressions, not parsers: a
 * definition that is written in an unusual form is missed, and a missed one only means that a scope stays wider.
 * INVARIANT: every expression is linear in the length of a line and has the name in its last group that took part.
 */

export interface LanguageSigns {
  readonly definitions: readonly RegExp[];
  /** Imports of a file: a path, or a name with dots, as it is written. */
  readonly imports: readonly RegExp[];
}

const JAVASCRIPT: LanguageSigns = {
  definitions: [
    /^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(?:function\*?|class|interface|type|enum|namespace)[ \t]+([A-Za-z_$][\w$]*)/gm,
    /^(?:export[ \t]+)?(?:declare[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)/gm,
    /^(?: {2,8}|\t{1,2})(?:(?:public|private|protected|static|async|readonly|get|set|override|abstract)[ \t]+)*#?([A-Za-z_$][\w$]*)[ \t]*(?:<[^<>\n]{0,80}>)?\([^\n;]{0,200}\{[ \t]*$/gm,
    /^[ \t]*(?:[A-Za-z_$][\w$]*\.){1,4}([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]+)?(?:function|\()/gm,
  ],
  imports: [
    /\bfrom[ \t]+["']([^"'\n]{1,200})["']/g,
    /\b(?:require|import)\([ \t]*["']([^"'\n]{1,200})["']/g,
    /^[ \t]*import[ \t]+["']([^"'\n]{1,200})["']/gm,
  ],
};

const PYTHON: LanguageSigns = {
  definitions: [
    /^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)/gm,
    /^[ \t]*class[ \t]+(\w+)/gm,
    /^([A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,120})?=(?!=)/gm,
  ],
  imports: [
    /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import\b/gm,
    /^[ \t]*(from[ \t]+\.+[ \t]+import[ \t]+[\w, \t]+)/gm,
    /^[ \t]*import[ \t]+([\w.]+)/gm,
  ],
};

const GO: LanguageSigns = {
  definitions: [
    /^func[ \t]+(?:\([^)\n]{0,120}\)[ \t]*)?(\w+)/gm,
    /^(?:type|var|const)[ \t]+(\w+)/gm,
    /^\t([A-Z]\w*)[ \t]+[\w.*[\]()]+/gm,
    /^\t([A-Z]\w*)[ \t]*(?:=|$)/gm,
  ],
  imports: [/^(?:import[ \t]+|\t)(?:[\w.]+[ \t]+)?"([^"\n]{1,200})"/gm],
};

const RUST: LanguageSigns = {
  definitions: [
    /^[ \t]*(?:pub(?:\([^)\n]{0,40}\))?[ \t]+)?(?:(?:default|const|async|unsafe|extern(?:[ \t]+"[^"\n]{0,20}")?)[ \t]+){0,4}(?:fn|struct|enum|trait|type|mod|const|static|union|macro_rules!)[ \t]+(?:mut[ \t]+)?(\w+)/gm,
  ],
  imports: [/^[ \t]*(?:pub[ \t]+)?mod[ \t]+(\w+);/gm, /\buse[ \t]+crate::(\w+)/g],
};

const CLASSES: LanguageSigns = {
  definitions: [
    /\b(?:class|interface|enum|record|object|struct|protocol|extension|trait|mixin)[ \t]+([A-Za-z_]\w*)/g,
    /^[ \t]+(?:(?:public|private|protected|internal|static|final|abstract|synchronized|override|async|virtual|suspend|open|native|default)[ \t]+){1,5}(?:<[^>\n]{0,80}>[ \t]*)?[\w<>[\],.? \t]{0,120}?\b([A-Za-z_]\w*)[ \t]*\(/gm,
    /\b(?:fun|func)[ \t]+(?:<[^>\n]{0,80}>[ \t]*)?(?:[\w<>]+\.)?([A-Za-z_]\w*)/g,
    /^[ \t]+(?:(?:public|private|protected|internal|static|final)[ \t]+){1,4}[\w<>[\],.?]+[ \t]+([A-Z_][A-Z0-9_]+)[ \t]*=/gm,
  ],
  imports: [/^[ \t]*(?:import|using)[ \t]+(?:static[ \t]+)?([\w.]+)/gm],
};

const C: LanguageSigns = {
  definitions: [
    /^(?:[A-Z_]+\([^)\n]{0,80}\)[ \t]*|(?!return\b|else\b|typedef\b|if\b|for\b|while\b|switch\b)[A-Za-z_][\w \t*&:<>,]{0,120}[ \t*&])(?:\w+::)?(\w+)[ \t]*\(/gm,
    /^[ \t]*#[ \t]*define[ \t]+(\w+)/gm,
    /^[ \t]*(?:typedef[ \t]+)?(?:struct|enum|union|class|namespace)[ \t]+(?:class[ \t]+)?(\w+)/gm,
    /^}[ \t]*(\w+);/gm,
  ],
  imports: [/^[ \t]*#[ \t]*include[ \t]+"([^"\n]{1,200})"/gm],
};

const RUBY: LanguageSigns = {
  definitions: [
    /^[ \t]*def[ \t]+(?:self\.)?(\w+)/gm,
    /^[ \t]*(?:class|module)[ \t]+(?:\w+::){0,6}(\w+)/gm,
    /^[ \t]*([A-Z]\w*)[ \t]*=/gm,
    /^[ \t]*attr_\w+[ \t]+:(\w+)/gm,
  ],
  imports: [/^[ \t]*(?:require|require_relative|load|autoload[ \t]+:\w+,)[ \t(]+["']([^"'\n]{1,200})["']/gm],
};

const PHP: LanguageSigns = {
  definitions: [
    /\bfunction[ \t]+&?(\w+)/g,
    /^[ \t]*(?:(?:abstract|final)[ \t]+)?(?:class|interface|trait|enum)[ \t]+(\w+)/gm,
  ],
  imports: [/^use[ \t]+([\w\\]+)/gm],
};

const OTHERS: LanguageSigns = {
  definitions: [
    /^[ \t]*(?:local[ \t]+)?(?:defp?|defmodule|defmacro|function|sub|proc|func|fn|let)[ \t]+(?:[\w.]+[.:])?([A-Za-z_]\w*)/gm,
    /^([A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{/gm,
    /\bcreate[ \t]+(?:or[ \t]+replace[ \t]+)?(?:table|view|function|procedure|index|type)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?["`]?(?:\w+\.)?(\w+)/gi,
  ],
  imports: [],
};

const BY_ENDING: Readonly<Record<string, LanguageSigns>> = {
  ...all(JAVASCRIPT, "ts tsx mts cts js jsx mjs cjs vue svelte"),
  ...all(PYTHON, "py"),
  ...all(GO, "go"),
  ...all(RUST, "rs"),
  ...all(CLASSES, "java kt kts scala cs fs swift dart"),
  ...all(C, "c h cc cpp hpp m"),
  ...all(RUBY, "rb"),
  ...all(PHP, "php"),
  ...all(OTHERS, "lua ex exs erl sh bash sql zig jl r"),
};

function all(signs: LanguageSigns, endings: string): Record<string, LanguageSigns> {
  return Object.fromEntries(endings.split(" ").map((ending) => [ending, signs]));
}

/** Null for files of no language that is known. */
export function languageOf(path: string): LanguageSigns | null {
  const dot = path.lastIndexOf(".");
  const ending = path.slice(dot + 1).toLowerCase();
  return dot > path.lastIndexOf("/") && Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null;
}
