export const discount = (price) => price * 0.9;
