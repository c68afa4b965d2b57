import { Text } from '@mantine/core';
import { TrashIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import { StoredItem } from './full-value.tsx';
import { useNewestFirst } from './newest-first.tsx';
import classes from './timeline.module.css';

interface TimelineProps {
  items: readonly unknown[];
  /** Removes the items with this timestamp. Absent: items cannot be removed. */
  onRemove?: ((timestamp: string) => void) | undefined;
}

/** Lists the items of an array field with their timestamps, newest first. */
export function Timeline({ items, onRemove }: TimelineProps) {
  const { newest, more } = useNewestFirst(items);
  if (items.length === 0) {
    return (
      <Text size="md" c="dimmed" p="md" px={20}>
        {t.record.noItems}
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.timeline} reversed>
        {newest.map(({ item, index }) => (
          <li key={index} className={classes.item}>
            <Item item={item} onRemove={onRemove} />
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

function Item({ item, onRemove }: { item: unknown; onRemove: TimelineProps['onRemove'] }) {
  const timestamp = typeof item === 'object' && item !== null && 'timestamp' in item ? item.timestamp : undefined;
  return (
    <StoredItem item={item} unknownTime={t.record.unknownTime}>
      {onRemove && typeof timestamp === 'string' && (
        <button
          type="button"
          className={classes.remove}
          aria-label={t.record.removeItem(timestamp)}
          onClick={() => onRemove(timestamp)}
        >
          <TrashIcon size={14} />
        </button>
      )}
    </StoredItem>
  );
}
