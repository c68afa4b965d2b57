/** bcrypt ignores all bytes after this length. */
const MAX_PASSWORD_BYTES = 72;

/** Returns the reason why a password cannot be used, or undefined. */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'must not be empty';
  if (password.includes('\0')) return 'must not contain a NUL character';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must have at most ${MAX_PASSWORD_BYTES} bytes`;
  return undefined;
}
