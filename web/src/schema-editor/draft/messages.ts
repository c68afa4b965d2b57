/** Returns a message of the service as a sentence of the page. */
export function capitalize(message: string | undefined): string | undefined {
  return message && message.charAt(0).toUpperCase() + message.slice(1);
}
