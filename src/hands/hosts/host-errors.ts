import { CoordinatorError } from "../../model/errors.js";

/* Failures of a host, by what a person can do about it. */

/** A host that does not answer, or that wants to be left alone until a time. */
export class HostUnavailable extends CoordinatorError {
  /** When to try again; null when the host did not say. */
  readonly until: string | null;

  constructor(message: string, until: string | null, cause?: unknown) {
    super("CODE_HOST_UNAVAILABLE", message, {
      retryable: true,
      fix: until === null ? "Try again later; nothing is lost." : `Try again after ${until}; nothing is lost.`,
      ...(cause === undefined ? {} : { cause }),
    });
    this.until = until;
  }
}

/** A host that answered no. */
export class HostRefused extends CoordinatorError {
  readonly status: number;

  constructor(message: string, status: number, fix: string) {
    super("CODE_HOST_REFUSED", message, { fix });
    this.status = status;
  }
}
