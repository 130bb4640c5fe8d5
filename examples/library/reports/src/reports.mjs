export const titleOf = (report) => report.title.trim();
