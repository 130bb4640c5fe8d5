import { phraseDetector } from "./find-phrases.js";

/**
 * Words that developers use among themselves and users of a product do not. One says little, and an annoyed user knows
 * some too; several in one text mean that it speaks about how something is built.
 */
export const jargon = phraseDetector([
  "mutex|deadlock|deadlocked|semaphore|thread|threads|coroutine|goroutine|async|await|callback|callbacks|promise|closure|iterator|iterators|dispatcher|scheduler|singleton",
  "pointer|pointers|segfault|heap|malloc|buffer|overflow|underflow|offset|bitmask|byte|bytes|endian|checksum|hashmap|bitwise",
  "regression|regressed|refactor|refactored|refactoring|deprecate|deprecated|deprecates|backport|backported|upstream|codebase|boilerplate|monorepo|linter|linting|changelog|changeset",
  "parser|parsers|tokenizer|lexer|compiler|linker|bytecode|transpiler|bundler|minifier|codegen|preprocessor|ast|regex|regexp|regexes",
  "null|nullable|undefined|boolean|booleans|integer|integers|float|enum|enums|struct|structs|tuple|tuples|typedef|generics|mutable|immutable|idempotent|serializer|serialization|serialize|serialized|deserialize|deserialization|marshal|unmarshal",
  "argument|arguments|parameter|parameters|decorator|decorators|constructor|constructors|getter|setter|subclass|superclass|mixin|namespace|namespaces|inheritance|polymorphism|signature|signatures|overload|instantiate|instantiated|instantiation",
  "stdin|stdout|stderr|stdlib|cwd|symlink|symlinks|chmod|daemon|cron|cronjob|subprocess|syscall|tty|posix|libc|glibc",
  "middleware|endpoint|endpoints|payload|payloads|webhook|webhooks|grpc|rpc|websocket|websockets|tcp|udp|tls|mtls|cors|csrf|jwt|oauth|http|https",
  "sql|orm|sqlite|postgres|postgresql|mysql|mariadb|redis|kafka|rabbitmq|mongodb|elasticsearch|dbt|schema|schemas|migration|migrations|foreign ?key|?keys",
  "kubernetes|k8s|kubectl|helm|terraform|ansible|docker|dockerfile|configmap|statefulset|daemonset|reconcile|reconciles|reconciled|reconciliation|reconciler|pod|pods|crd|crds|yaml|toml|sidecar|ingress",
  "e2e|unittest|unittests|pytest|junit|jest|fixture|fixtures|mock|mocks|mocked|stub|stubbed|ci|cd|makefile|cmake|gradle|maven|npm|pnpm|yarn|webpack|vite|eslint|tsconfig|cargo",
  "unit|integration|snapshot|regression test|tests",
  "i2c|spi|uart|gpio|pwm|adc|datasheet|isr|rtos|baud|bootloader|devicetree",
  "stack|back trace|traces|frame|frames",
  "stacktrace|stacktraces|backtrace|traceback|panic|panics|panicked|segmentation",
  "memory leak|leaks",
  "race condition|conditions",
  "out of bounds|memory",
  "label|css|dom selector|selectors",
  "function|method|class|module|package|variable|constant|type|return|default|helper name|names|value|values|definition|declaration|signature|body|annotation|annotations|hint|hints",
  "main|event|render|reconcile|retry|inner|outer|busy loop|thread",
  "pr|commit|merge|rebase|branch|diff adds|fixes|removes|replaces|introduces|changes|moves|deprecates",
]);
