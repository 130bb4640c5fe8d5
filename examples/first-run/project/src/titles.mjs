export const title = (report) => report.name.trim();
