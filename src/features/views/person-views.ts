import { limitAttempts } from '../../platform/core/attempts.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { PersonData } from '../people/person-data.ts';
import type { ViewContent, ViewDocument, ViewModel, ViewStore } from './views.model.ts';

/** Takes the place of an email in the name of a view. */
const ERASED = '…';
const BATCH_SIZE = 100;

/** The views whose name, filter, columns or order name a person by the email (spec 4.6). */
export function createPersonViews(views: ViewModel, store: Pick<ViewStore, 'change'>): PersonData {
  const ofApps = (appIds: Parameters<PersonData['eraseOf']>[0]) =>
    // By the collection: a cursor.
    views.collection.find({ appId: { $in: [...appIds] } }, { batchSize: BATCH_SIZE });

  return {
    name: 'views',

    async *entriesOf(appIds, email) {
      for await (const view of ofApps(appIds)) {
        const { _id, appId, name, query } = view;
        if (withoutEmail(view, email)) yield { appId, shown: { kind: 'view', id: _id.toHexString(), name, query } };
      }
    },

    /** Removes what names the person; the rest of a view stays. */
    async eraseOf(appIds, email, guard) {
      let erased = 0;
      for await (const view of ofApps(appIds)) if (await eraseIn(view, email, guard)) erased += 1;
      return erased;
    },
  };

  async function eraseIn(view: ViewDocument, email: string, guard: RemovalGuard): Promise<boolean> {
    let current: ViewDocument | null = view;
    for (const again = limitAttempts('viewChanging', 1); ; again()) {
      const content = current && withoutEmail(current, email);
      if (!current || !content) return false;
      if (await store.change(current, content, current, guard)) return true;
      current = await views.findOne({ _id: view._id });
    }
  }
}

/** Returns a view without the email; undefined if it does not contain it. */
function withoutEmail({ name, query, columns, sort }: ViewContent, email: string): ViewContent | undefined {
  const names = (text: string): boolean => hasEmail(text, email);
  // A query may have the email as it is, where a plus represents a space.
  const isIn = (text: string): boolean => names(text) || hasEmail(text, email.replaceAll('+', ' '));
  const parameters = [...new URLSearchParams(query)];
  const kept = parameters.filter(([key, value]) => !isIn(key) && !isIn(value));
  const isNamed = [name, sort, ...columns].some(names);
  if (!isNamed && kept.length === parameters.length) return undefined;
  return {
    name: withoutName(name, email),
    query: new URLSearchParams(kept).toString(),
    columns: columns.filter((column) => !names(column)),
    sort: names(sort) ? '' : sort,
  };
}

/** An escape of an ASCII character, encoded any number of times. */
const ESCAPE = /%(?:25)*([2-7][0-9a-f])/g;
/** Each round decodes escapes whose digits are encoded. */
const MAX_ROUNDS = 10;

const decode = (text: string): string =>
  text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)).toLowerCase());

/** Whether a text has the email, in any case and encoded any number of times. */
function hasEmail(text: string, email: string): boolean {
  const searched = [email, decode(email)];
  let decoded = text.toLowerCase();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (searched.some((one) => decoded.includes(one))) return true;
    const next = decode(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
  // Removed without a further search: no list has such a text.
  return true;
}

function withoutName(name: string, email: string): string {
  const rest = withoutText(name, email);
  return hasEmail(rest, email) ? ERASED : rest;
}

/** Takes a text in lower case out of another one, which keeps the case of the rest if it can. */
function withoutText(name: string, text: string): string {
  const lower = name.toLowerCase();
  // Some characters, such as İ, have a longer form in lower case.
  if (lower.length !== name.length) return lower.replaceAll(text, ERASED);
  let rest = '';
  let from = 0;
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, from)) {
    rest += name.slice(from, at) + ERASED;
    from = at + text.length;
  }
  return rest + name.slice(from);
}
