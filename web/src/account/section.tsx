import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import card from '../components/card.module.css';

/** A card with a title. */
export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className={card.card} aria-labelledby={id}>
      <div className={card.section}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {children}
      </div>
    </section>
  );
}
