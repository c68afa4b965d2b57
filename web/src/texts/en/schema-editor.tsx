export const schemaEditor = {};
