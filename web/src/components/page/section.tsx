import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import card from './card.module.css';

interface SectionProps {
  id: string;
  title: string;
  className?: string | undefined;
  /** Below the content, as wide as the card. */
  below?: ReactNode;
  children?: ReactNode;
}

/** A card with a title. */
export function Section({ id, title, className, below, children }: SectionProps) {
  return (
    <section className={card.card} aria-labelledby={id}>
      <div className={`${card.section} ${className ?? ''}`}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {children}
      </div>
      {below}
    </section>
  );
}
