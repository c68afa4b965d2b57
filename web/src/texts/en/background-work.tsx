export const backgroundWork = {};
