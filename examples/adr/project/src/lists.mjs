export const lists = new Map();
