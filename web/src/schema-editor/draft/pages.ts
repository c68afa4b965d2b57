import type { Draft, DraftField } from './draft.ts';
import { isOfStaff, MAX_PAGES, pagesOf } from './rules.ts';

// The pages of a draft. A field has `page` only where a page begins, so an edit sets it again for
// each field: a field that moves or goes takes no page of another with it.

/** The page of each field of the form, by its id. Fields of the team are on none. */
type PageById = ReadonlyMap<number, number>;

/** Returns the page of each field that is in the form. */
export function pagesIn({ fields }: Pick<Draft, 'fields'>): PageById {
  const shown = fields.filter(({ definition }) => !isOfStaff(definition));
  const pages = pagesOf(shown.map(({ definition }) => ({ page: definition.page as number | undefined })));
  return new Map(shown.map(({ id }, index) => [id, pages[index] ?? 1]));
}

/** Returns the fields with their pages, which only the first field of a page names. */
export function withPages(fields: readonly DraftField[], pages: PageById): DraftField[] {
  let last = 1;
  return fields.map((field) => {
    const page = pages.get(field.id);
    if (page === undefined) return withPage(field, undefined);
    const own = page === last ? undefined : page;
    last = page;
    return withPage(field, own);
  });
}

function withPage(field: DraftField, page: number | undefined): DraftField {
  if (field.definition.page === page) return field;
  const { page: _, ...definition } = field.definition;
  return { ...field, definition: { ...definition, ...(page !== undefined && { page }) } as DraftField['definition'] };
}

/** Moves a field to a place among the fields, and to a page if it is in the form. */
export function moveTo(draft: Draft, id: number, to: number, page: number): Draft {
  const field = draft.fields.find((one) => one.id === id);
  if (!field) return draft;
  const pages = new Map(pagesIn(draft));
  if (pages.has(id)) pages.set(id, page);
  const fields = draft.fields.filter((one) => one !== field).toSpliced(to, 0, field);
  return { ...draft, fields: withPages(fields, pages) };
}

/**
 * Moves a field up (-1) or down (1) by one place: over the beginning of a page, or another field.
 */
export function moveBy(draft: Draft, id: number, by: -1 | 1): Draft {
  const pages = pagesIn(draft);
  const at = draft.fields.findIndex((one) => one.id === id);
  const beside = draft.fields[at + by];
  if (at < 0 || !beside) return draft;
  const page = pages.get(id);
  const next = pages.get(beside.id);
  if (page === undefined || next === undefined || page === next) return moveTo(draft, id, at + by, page ?? 1);
  return { ...draft, fields: withPages(draft.fields, new Map([...pages, [id, next]])) };
}

/** Begins a page with a field. Later pages get the next number. */
export function beginPage(draft: Draft, id: number): Draft {
  return renumbered(draft, id, 1);
}

/**
 * Joins a page with the one before it.
 * @param by how far its number, and those of later pages, go down
 */
export function joinPage(draft: Draft, first: number, by: number): Draft {
  return renumbered(draft, first, -by);
}

function renumbered(draft: Draft, from: number, by: number): Draft {
  const start = draft.fields.findIndex(({ id }) => id === from);
  const later = new Set(draft.fields.slice(start).map(({ id }) => id));
  const next = [...pagesIn(draft)].map(([id, page]) => [id, later.has(id) ? page + by : page] as const);
  if (next.some(([, page]) => page > MAX_PAGES)) return draft;
  return { ...draft, fields: withPages(draft.fields, new Map(next)) };
}
