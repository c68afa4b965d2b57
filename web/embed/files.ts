import { sentence } from '#src/features/display/markup.ts';
import { fill, numberRules, type Text } from '#src/platform/languages/texts.ts';
import { toDom } from './dom.ts';
import style from './files.css?inline';
import type { Problem } from './problems.ts';

// The module of `/embed/v1-files.js`: the controls for files of a form of the service. Each file is
// sent when it is chosen, in parts, and the form sends its token (spec K1). Without this module the
// form sends the files themselves.

/** What a form needs to send files before it is sent itself. */
interface FilesData {
  /** The path of the form, with the language of the visitor. */
  path: string;
  texts: Readonly<Record<string, Text>>;
}

/** The files of a form. */
export interface Files {
  /** Whether some are on their way. */
  isBusy(): boolean;
  /** Resolves when none is on its way, with the problems of those that did not arrive. */
  settle(): Promise<Problem[]>;
}

/** A part takes 8 s at 1 Mbit/s, and is what a cut connection costs. */
const PART_BYTES = 1_000_000;
/** Pauses before a part is sent again; then the person decides. */
const PAUSES_MS = [1_000, 4_000];
/** A part without any progress for this time counts as cut. */
const STALLED_MS = 30_000;
/** A token ends after an hour. */
const TOKEN_MS = 55 * 60_000;

/** The answers after which the same part may be sent again. */
const mayRepeat = (status: number): boolean => [0, 408, 409, 429].includes(status) || status >= 500;

interface Answer {
  status: number;
  body: { token?: string; received?: number; message?: string; errors?: { message: string }[] };
}

/** A file that was chosen, or that arrived with an earlier attempt. */
interface Entry {
  name: string;
  size: number;
  /** Absent for a file that arrived before. */
  file?: File;
  token?: string | undefined;
  received: number;
  arrivedAt?: number | undefined;
  problem?: string | undefined;
  /** Whether another attempt may help. */
  mayRetry?: boolean;
  request?: XMLHttpRequest | undefined;
  row: HTMLElement;
}

/** Starts the controls for files of a form. */
export function start(form: HTMLFormElement, { path, texts }: FilesData): Files {
  const tag = (form.closest('[lang]') as HTMLElement | null)?.lang || 'en';
  const numbers = numberRules(tag);
  const megabytes = new Intl.NumberFormat(tag, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const kilobytes = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 });
  const say: Say = (code, params = {}) => fill(texts[code] ?? code, params, numbers);
  const sizeOf = (bytes: number): string =>
    bytes < 100_000 ? `${kilobytes.format(Math.ceil(bytes / 1_000))} kB` : `${megabytes.format(bytes / 1e6)} MB`;
  const controls = [...form.querySelectorAll<HTMLInputElement>('input[type=file][name]')].map((input) =>
    createControl(input, { path, say, sizeOf }),
  );
  form.addEventListener('reset', () => {
    for (const control of controls) control.clear();
  });
  // A token counts once; a page may keep the form, to send it again.
  form.addEventListener('user-collection:submitted', () => {
    for (const control of controls) control.expire();
  });
  return {
    isBusy: () => controls.some((control) => control.isBusy()),
    async settle() {
      const problems = await Promise.all(controls.map((control) => control.settle()));
      return problems.flat();
    },
  };
}

type Say = (code: string, params?: Record<string, string | number>) => string;

function createControl(
  input: HTMLInputElement,
  { path, say, sizeOf }: { path: string; say: Say; sizeOf: (bytes: number) => string },
) {
  const [, field = ''] = /^data\[(\w+)\]/.exec(input.name) ?? [];
  const area = input.closest<HTMLElement>('.field') ?? input;
  const maxFiles = Number(input.dataset.maxFiles) || 1;
  const maxBytes = Number(input.dataset.maxBytes) || Number.POSITIVE_INFINITY;
  const isRequired = input.required || input.hasAttribute('data-required');
  const [list, news] = toDom([
    ['ul', { class: 'files', part: 'files' }],
    ['p', { class: 'files-news', role: 'status' }],
  ]) as [HTMLElement, HTMLElement];
  let entries: Entry[] = [];
  /** The files are sent one after the other, so that the first ones arrive early. */
  let sending: Promise<void> = Promise.resolve();
  let waiting = 0;

  const [hint] = toDom([['p', { class: 'help drop-hint' }, say('dropFiles')]]) as [HTMLElement];
  input.after(list, news);
  input.before(hint);
  area.classList.add('drop');

  /** For screen readers; what no row shows is visible. */
  function tell(text: string, isVisible = false): void {
    news.classList.toggle('quiet', !isVisible);
    news.textContent = text;
  }

  /** Tells the rest of the form what it has. */
  function changed(): void {
    list.hidden = entries.length === 0;
    // A form with pages or conditions decides itself (steps.ts).
    if (!input.closest('[data-field]')) input.required = isRequired && entries.length === 0;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }

  function rowOf({ name, size }: Pick<Entry, 'name' | 'size'>): HTMLElement {
    const [row] = toDom([
      [
        'li',
        { class: 'file', part: 'file' },
        ['span', { class: 'file-name' }, name],
        ['span', { class: 'file-size help' }, sizeOf(size)],
        ['progress', { max: '100', value: '0', 'aria-label': name }],
        ['p', { class: 'file-problem', hidden: true }],
        ['button', { type: 'button', class: 'file-retry', part: 'file-button', hidden: true }, say('retryFile')],
        ['button', { type: 'button', class: 'file-remove', part: 'file-button' }, say('removeFile')],
        ['input', { type: 'hidden', name: input.name, disabled: true }],
      ],
    ]) as [HTMLElement];
    const inRow = <One extends HTMLElement>(selector: string) => row.querySelector(selector) as One;
    inRow('.file-retry').setAttribute('aria-label', `${say('retryFile')}: ${name}`);
    inRow('.file-remove').setAttribute('aria-label', `${say('removeFile')}: ${name}`);
    return row;
  }

  function show({ row, token, problem, mayRetry = false, received, size }: Entry): void {
    const inRow = <One extends HTMLElement>(selector: string) => row.querySelector(selector) as One;
    const [progress, text, retry] = [inRow<HTMLProgressElement>('progress'), inRow('p'), inRow('.file-retry')];
    const hasArrived = token !== undefined && received >= size;
    progress.hidden = hasArrived || problem !== undefined;
    text.hidden = problem === undefined;
    if (text.textContent !== (problem ?? '')) text.textContent = problem ?? '';
    retry.hidden = problem === undefined || !mayRetry;
    row.classList.toggle('file-failed', problem !== undefined);
    const sent = inRow<HTMLInputElement>('input');
    sent.value = hasArrived ? token : '';
    sent.disabled = !hasArrived;
  }

  const showProgress = ({ row, size }: Entry, sent: number): void => {
    const progress = row.querySelector('progress') as HTMLProgressElement;
    progress.value = size === 0 ? 100 : Math.floor((100 * Math.min(sent, size)) / size);
  };

  function add(given: Pick<Entry, 'name' | 'size' | 'token' | 'file'>): Entry {
    const entry: Entry = { ...given, received: given.token === undefined ? 0 : given.size, row: rowOf(given) };
    entry.row.querySelector('.file-remove')?.addEventListener('click', () => remove(entry));
    entry.row.querySelector('.file-retry')?.addEventListener('click', () => {
      // The button goes, and the focus with it.
      (entry.row.querySelector('.file-remove') as HTMLElement).focus();
      send(entry);
    });
    entries.push(entry);
    list.append(entry.row);
    show(entry);
    return entry;
  }

  function choose(files: readonly File[]): void {
    // A field with one file takes the new one in its place.
    if (maxFiles === 1 && files.length === 1) for (const entry of [...entries]) drop(entry);
    const room = maxFiles - entries.length;
    for (const file of files.slice(0, room)) {
      const entry = add({ name: file.name, size: file.size, file });
      if (file.size > maxBytes) fail(entry, say('fileTooLarge', { max: maxBytes / 1_000_000 }));
      else send(entry);
    }
    tell(files.length > room ? sentence(say('tooManyFiles', { max: maxFiles })) : '', true);
    changed();
  }

  function drop(entry: Entry): void {
    entry.request?.abort();
    entries = entries.filter((one) => one !== entry);
    entry.row.remove();
  }

  function remove(entry: Entry): void {
    drop(entry);
    tell(say('fileRemoved', { name: entry.name }));
    changed();
    input.focus();
  }

  function fail(entry: Entry, problem: string, mayRetry = false): void {
    Object.assign(entry, { problem: sentence(problem), mayRetry });
    show(entry);
    tell(`${entry.name}: ${problem}`);
  }

  /** Sends what has not arrived yet, in the turn of the file. */
  function send(entry: Entry): void {
    entry.problem = undefined;
    show(entry);
    waiting += 1;
    sending = sending
      .then(() => transfer(entry))
      .finally(() => {
        waiting -= 1;
      });
  }

  const isGone = (entry: Entry): boolean => !entries.includes(entry);

  async function transfer(entry: Entry): Promise<void> {
    for (let failures = 0; !isGone(entry); ) {
      const before = entry.received;
      const { status, body } = await request(entry);
      if (isGone(entry)) return;
      if (status === 201) {
        Object.assign(entry, { token: body.token, received: entry.size, arrivedAt: Date.now() });
        show(entry);
        tell(say('fileArrived', { name: entry.name }));
        return changed();
      }
      if ((status === 202 || status === 416) && body.received !== undefined) {
        Object.assign(entry, { token: body.token ?? entry.token, received: body.received });
        showProgress(entry, entry.received);
        // What was not known to have arrived did, or did not.
        failures = entry.received === before ? failures + 1 : 0;
        if (failures <= PAUSES_MS.length) continue;
      } else if (!mayRepeat(status)) {
        const isLost = entry.token !== undefined && (status === 400 || status === 404);
        if (isLost) Object.assign(entry, { token: undefined, received: 0 });
        return fail(entry, body.errors?.[0]?.message ?? body.message ?? say('fileCut'), isLost);
      }
      const pause = PAUSES_MS[failures];
      failures += 1;
      if (pause === undefined) return fail(entry, status === 429 ? (body.message ?? '') : say('fileCut'), true);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Sends one part. Without an answer the status is 0. */
  function request(entry: Entry): Promise<Answer> {
    const { file, size, received, token } = entry;
    const end = Math.min(received + PART_BYTES, size);
    const url = new URL(path.replace(/(?=\?|$)/, '/files'), import.meta.url);
    url.searchParams.set('field', field);
    url.searchParams.set('name', entry.name);
    if (token !== undefined) url.searchParams.set('token', token);
    return new Promise((resolve) => {
      const sent = new XMLHttpRequest();
      entry.request = sent;
      let stalled = 0;
      const alive = (): void => {
        clearTimeout(stalled);
        stalled = window.setTimeout(() => sent.abort(), STALLED_MS);
      };
      sent.upload.onprogress = ({ loaded }) => {
        alive();
        showProgress(entry, received + loaded);
      };
      sent.onloadend = () => {
        clearTimeout(stalled);
        entry.request = undefined;
        resolve({ status: sent.status, body: bodyOf(sent.responseText) });
      };
      sent.open('POST', url);
      sent.setRequestHeader('Accept', 'application/json');
      sent.setRequestHeader('Content-Type', 'application/octet-stream');
      if (size > PART_BYTES) sent.setRequestHeader('Content-Range', `bytes ${received}-${end - 1}/${size}`);
      alive();
      sent.send((file as File).slice(received, end));
    });
  }

  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    if (files.length === 0) return;
    // What was chosen is in the list from now on.
    input.value = '';
    choose(files);
  });
  area.addEventListener('dragover', (event) => {
    if (input.disabled || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    area.classList.add('drop-over');
  });
  area.addEventListener('dragleave', (event) => {
    if (!area.contains(event.relatedTarget as Node | null)) area.classList.remove('drop-over');
  });
  area.addEventListener('drop', (event) => {
    area.classList.remove('drop-over');
    const files = [...(event.dataTransfer?.files ?? [])];
    if (input.disabled || files.length === 0) return;
    event.preventDefault();
    choose(files);
  });

  // The files that an earlier attempt sent, which the page lists with checkboxes.
  for (const kept of area.querySelectorAll<HTMLElement>('[data-kept]')) {
    for (const box of kept.querySelectorAll<HTMLInputElement>('input')) {
      add({ name: box.dataset.name ?? '', size: Number(box.dataset.size), token: box.value });
    }
    kept.remove();
  }
  const early = [...(input.files ?? [])];
  input.value = '';
  if (early.length > 0) choose(early);
  else changed();

  return {
    isBusy: () => waiting > 0,

    clear(): void {
      for (const entry of [...entries]) drop(entry);
      tell('');
      changed();
    },

    /** The files are sent again before the form is. */
    expire(): void {
      for (const entry of entries) if (entry.file) entry.arrivedAt = 0;
    },

    async settle(): Promise<Problem[]> {
      if (input.disabled) return [];
      for (const entry of entries) {
        if (!entry.file || entry.arrivedAt === undefined || Date.now() - entry.arrivedAt < TOKEN_MS) continue;
        Object.assign(entry, { token: undefined, received: 0, arrivedAt: undefined });
        send(entry);
      }
      while (waiting > 0) await sending;
      return entries.flatMap(({ name, problem }) =>
        problem === undefined ? [] : [{ path: input.name, message: `${name}: ${problem}` }],
      );
    },
  };
}

function bodyOf(text: string): Answer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The styles of an embedded form. */
export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}
