/** Streams of the process, for commands that read or write as they go. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Write to stdout; done when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  /** Tell the person who asks something beside the result; goes to stderr. */
  readonly note: (message: string) => void;
}
