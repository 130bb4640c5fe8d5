export const total = (items) => items.reduce((sum, { cents }) => sum + cents, 0);
