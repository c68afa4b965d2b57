import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../texts/texts.ts';

/** Number of items to show initially and to add with each press of the button. */
const STEP = 20;

/** The first items of a list, and a button that shows more of them. */
export function useFirst<Item>(items: readonly Item[]) {
  const [shown, setShown] = useState(STEP);
  return {
    first: items.slice(0, shown),
    more: items.length > shown && (
      <Button variant="subtle" size="xs" m="md" mt={0} onClick={() => setShown(shown + STEP)}>
        {t.record.showMore(Math.min(STEP, items.length - shown), items.length)}
      </Button>
    ),
  };
}

/** The newest items of a list, which are its last ones, and a button that shows more of them. */
export function useNewestFirst<Item>(items: readonly Item[]) {
  const { first: newest, more } = useFirst(items.map((item, index) => ({ item, index })).reverse());
  return { newest, more };
}
