/** Saves a file as a download does. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  clickLink(url, name);
  URL.revokeObjectURL(url);
}

/** Opens a URL as a download. The name of the service has priority over `name`. */
export function clickLink(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
