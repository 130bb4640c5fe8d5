export const total = (rows) => rows.reduce((sum, row) => sum + row.amount, 0);
