/** The file names that an import keeps. One with an `@` could be the email of a person. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
export const FILE_NAME = /^[^@\u0000-\u001f\u007f-\u009f]{1,200}$/u;

/** The setting `fileName` for a file; absent for a name that an import does not keep. */
export const fileNameSetting = (name: string): { fileName?: string } =>
  FILE_NAME.test(name) ? { fileName: name } : {};
