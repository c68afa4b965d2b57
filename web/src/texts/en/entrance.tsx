export const entrance = {};
