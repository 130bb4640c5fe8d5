/**
 * The name of a model as it is compared: without its provider, the date of its version, and other writings of the same.
 * `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5-20250929` are one.
 */
export function plainModelName(model: string): string {
  return model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/(?:[-@]\d{8}|-\d{4}-\d\d-\d\d|-latest)$/, "")
    .replaceAll(".", "-");
}
