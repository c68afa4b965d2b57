export const apps = {};
