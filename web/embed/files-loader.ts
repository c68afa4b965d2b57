import type { Text } from '#src/platform/languages/texts.ts';
import type { Files } from './files.ts';
import { adopt, part } from './parts.ts';
import { formPath } from './service.ts';

/** The files of a form, and what it says while it waits for them. */
interface Started {
  files: Files;
  pending: Text;
}

const started = new WeakMap<HTMLFormElement, Started>();

/** Returns the files of a form that has started; undefined for a form without them. */
export const filesOf = (form: HTMLFormElement): Started | undefined => started.get(form);

/**
 * Starts the controls for files of a form of the service. Without their module the form sends its
 * files itself, as without JavaScript.
 * @param root gets the styles of an embedded form
 */
export async function startFiles(form: HTMLFormElement, texts: Record<string, Text>, root?: ShadowRoot): Promise<void> {
  const { start, styleSheet } = await part('files');
  adopt(root, styleSheet);
  const path = formPath(form.dataset.userCollection as string, form);
  if (!started.has(form)) started.set(form, { files: start(form, { path, texts }), pending: texts.filesPending ?? '' });
}
