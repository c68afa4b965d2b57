export const firstForm = {};
