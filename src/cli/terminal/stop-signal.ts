/** The first Ctrl-C stops what runs and cleans up, the second ends at once. */
export function stopSignal(host: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  host.removeAllListeners("SIGINT");
  const stopNow = () => {
    if (stop.signal.aborted) host.exit(130);
    host.stderr.write("Stopping: what runs in the sandbox is ended. Ctrl-C again ends at once.\n");
    stop.abort();
  };
  for (const ending of ["SIGINT", "SIGTERM"] as const) host.on(ending, stopNow);
  return stop.signal;
}
