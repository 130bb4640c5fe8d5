import { phraseDetector } from "./find-phrases.js";

/* Signals that are phrases of English and nothing else. In other languages the learned layer reads what they would tell. */

/** What must be true of the product, said plainly: should, must, has to, mandatory, by default. */
export const requirements = phraseDetector([
  "should|must|shall ?not|?be|?also|?only|?always|?never",
  "needs|need|has|have|ought to",
  "mandatory|optional|required|compulsory",
  "by default",
  "default value",
  "make|makes|making sure|certain",
  "instead of having|using|showing|a|an|the",
]);

/** A role with a need, or a person's own need: what somebody wants to be able to do. */
export const userNeeds = phraseDetector([
  "as a|an ?new|?registered|?logged-in user|customer|admin|administrator|developer|visitor|member|manager|player|student|reader|editor|owner|operator|maintainer|teacher|patient|seller|buyer",
  "user|users|customer|customers|people|person|visitors|player|players|members can|could|should|must|need|needs|want|wants|would|may|might|expect",
  "if|when|once|where the|a user|customer|player|visitor",
  "allow|allows|allowing|let|lets|letting|enable|enables|enabling ?the|?a user|users|customer|customers|people|us|me|them|admins|players",
  "i|we ?really|?often|?also want|need|prefer",
  "i|we would|could ?really|?also|?very ?much|?rather like|love|prefer|appreciate",
  "i|we would rather",
  "i'd|we'd ?really|?also|?very|?much like|love|prefer|rather|appreciate",
  "user story|stories",
  "acceptance criteria|criterion",
  "definition of done",
  "given ?a|?an|?the|?that user|admin|customer|player|visitor|i",
  "able to see|view|choose|select|use|set|change|add|edit|share|export|import|filter|sort|search|browse|customize|customise|hide|show|delete|save|disable|enable|zoom|create|have|move|play|read|send|pick|adjust|control|manage|track",
]);

/** What it would be good for: a purpose or an effect on people, named as such. */
export const outcomes = phraseDetector([
  "so that i|we|you|users|people|they|one|the|it",
  "so i|we|you|users|people|one can|could|don't|do",
  "in order to",
  "this|that|it|which would|will|could ?also|?really allow|help|make|let|enable|give|save|improve|simplify|reduce|provide|avoid",
  "would|will|could make it|things|life|?my ?much easier|simpler|better|possible|clearer|nicer|faster",
  "easier|simpler|more|better for|to users|people|us|me|everyone|everybody|beginners|newcomers|read|use|understand|find",
  "save|saves|saving time|money|space|effort|clicks|battery",
  "the ?main|?only goal|benefit|purpose|motivation|idea is|of|would|behind|here",
  "use case|cases|scenario",
  "user|customer|developer experience|satisfaction|feedback|engagement|retention",
]);

/** Order, plans and the standing of the work: what first, when, under which name or terms. */
export const priorities = phraseDetector([
  "high|higher|highest|low|lower|lowest|top priority",
  "prioritize|prioritise|prioritization|prioritisation|deprioritize|roadmap|milestone|milestones|backlog|deadline|deadlines",
  "next|this|by|until|before ?the|?first|?stable quarter|launch|sprint|year",
  "must-have|nice-to-have|mvp|rollout|okr|okrs|stakeholder|stakeholders",
  "do you plan|intend",
  "any|are|is ?there|?you|?any plan|plans|planning|planned to|for|on",
  "the future of",
  "still|actively|being ?being|?actively maintained|developed|alive",
  "license|licence|licensing|copyright|trademark|trademarks|lawsuit|gdpr",
  "privacy|legal policy|issue|issues|action|reasons",
  "terms of service|use",
  "donate|donation|donations|sponsor|sponsors|sponsorship|pricing|subscription|subscriptions|monetize|monetization",
  "paid|premium|pro version|plan|tier",
  "code of conduct",
  "governance|maintainership|rebrand|rebranding",
  "new|another|different name for|instead|of",
]);

/** Weighing one way against another. */
export const tradeOffs = phraseDetector([
  "trade-off|trade-offs|tradeoff|tradeoffs|pros|cons",
  "on the other|one hand",
  "at the cost|expense of",
  "worth the|it|considering|thinking|looking|discussing|doing",
  "rather than|not",
  "either|whether we|to|it",
  "alternatives you've|considered",
  "balance|weigh between|against|up",
  "should we|i ?really|?still keep|drop|support|use|have|make|consider|allow|do|stop|continue",
  "which one|option|approach ?would|?should|is|do|better",
]);

/** Measures of success for people or the business. */
export const metrics = phraseDetector([
  "conversion|conversions|retention|churn|revenue|adoption|kpi|kpis|nps|roi|bounce ?rate",
  "number|percentage|share of users|customers|visitors|downloads|people|orders|sales",
  "user|users|customer|support complaints|requests|tickets|feedback|reviews|ratings",
  "survey|surveys|poll|market|competitor|competitors|analytics ?share|?research",
  "how likely|much|many are|would|do|of|people|users",
]);

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

/** For whom: groups of people that the product serves. */
export const audience = phraseDetector([
  "users|customers|people|players|visitors|beginners|newcomers|students|teachers|admins|clients|subscribers|readers|patients|kids|children|parents",
  "end user|users",
  "non-technical|technical|blind|colorblind|color-blind|disabled|elderly|new|power|mobile|many|most|other|some|all users|people|user|players|customers",
  "target audience|group|market",
  "screen readers|reader",
  "everyone|everybody|newbies|audience",
]);

/** Finding out or deciding is asked for, not building: what comes out of it is open. */
export const studies = phraseDetector([
  "investigate|investigation|explore|evaluate|spike|brainstorm|feasibility|rfc",
  "research ?on|?for|?about|?into|?which|?what|?how|?whether the|a|an|alternatives|options|which|what|how|whether|if",
  "look|looking into",
  "figure|find out",
  "check|see|decide|discuss|determine|consider if|whether|how|which|what|adding|alternatives|options|using|switching|moving",
  "decide|discuss|determine on|the",
  "compare alternatives|options|libraries|tools|frameworks|approaches",
  "request for comments",
]);

/** The author's own doubt about what is meant or wanted. */
export const uncertainty = phraseDetector([
  "not ?really|?quite|?entirely|?so|?completely|?100 sure|certain",
  "i'm|am unsure|uncertain|confused|lost|curious",
  "don't|didn't ?really|?quite know",
  "do|did not ?really|?quite know",
  "no idea|clue",
  "unclear to|what|how|whether|if|that",
  "i wonder|wondered",
  "was|am|i'm|just|been wondering",
  "someone|somebody suggested|said|mentioned|asked",
]);
