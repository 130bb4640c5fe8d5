/*
 * Expected outcomes are values: a decision, a verdict, diagnostics. This error is for a broken contract or failed I/O.
 * Each code has a page in docs/errors.
 */
export const ERROR_CODES = [
  "FILE_NOT_FOUND",
  "FILE_UNREADABLE",
  "FILE_WRITE_FAILED",
  "LINK_REFUSED",
  "DOCUMENT_INVALID",
  "REGISTRY_INVALID",
  "PLAN_NOT_FOUND",
  "PLAN_WRITE_FAILED",
  "PLAN_CHANGED",
  "BRIEF_CHANGED",
  "NOT_FOUND",
  "REF_MOVED",
  "STORE_FAILED",
  "STORE_LOCKED",
  "STORE_TOO_NEW",
  "STORE_CORRUPT",
  "STORE_ADDRESS",
  "STORE_UNREACHABLE",
  "STORE_REFUSED",
  "STORE_SERVER_OLD",
  "STORE_CLOCK",
  "ENGINE_SETTING",
  "REMOTE_REFUSED",
  "REMOTE_UNREACHABLE",
  "WORKER_VERSION",
  "SHIM_FAILED",
  "WORKSPACE_FAILED",
  "REPOSITORY_UNSUITABLE",
  "SANDBOX_MISSING",
  "CONTRACT_FORBIDS",
  "CONTRACT_APPROVAL",
  "CONTRACT_LIMIT",
  "NOT_TRUSTED",
  "MODEL_NOT_CONFIGURED",
  "PORT_TAKEN",
  "LISTEN_FAILED",
  "SERVER_RUNNING",
  "SERVER_UNREACHABLE",
  "ADDRESS_REFUSED",
  "CERTIFICATE_UNREADABLE",
  "CODE_HOST_UNKNOWN",
  "CODE_HOST_LOGIN_MISSING",
  "CODE_HOST_REFUSED",
  "CODE_HOST_UNAVAILABLE",
  "BRANCH_INVALID",
  "PUBLISH_REFUSED",
  "PULL_CLOSED",
  "USAGE",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export class CoordinatorError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly fix: string | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryable?: boolean; fix?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CoordinatorError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.fix = options.fix;
  }
}
