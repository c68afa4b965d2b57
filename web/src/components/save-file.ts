/** Saves a file as a download does. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  clickLink(url, name);
  URL.revokeObjectURL(url);
}

/** Opens a URL as a download, under the name that the service gives it unless it has one here. */
export function clickLink(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
