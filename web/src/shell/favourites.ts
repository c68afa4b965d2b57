import { useState } from 'react';
import type { Session } from '../session/session.ts';
import type { NamedApp } from './find-apps.ts';

/** The most favourites that a browser keeps. */
const MAX_FAVOURITES = 20;

const keyOf = ({ identity }: Session): string => ['favourites of', identity].join(' ');

function load(session: Session): readonly NamedApp[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(session)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((app) => typeof app?.sourceAppId === 'string') : [];
  } catch {
    return [];
  }
}

/** The apps that the reader marked in this browser. They stand first in the choice of apps. */
export function useFavourites(session: Session) {
  const [favourites, setFavourites] = useState(() => load(session));
  const isFavourite = ({ sourceAppId }: NamedApp): boolean => favourites.some((one) => one.sourceAppId === sourceAppId);
  const toggle = ({ sourceAppId, name }: NamedApp): void => {
    const others = favourites.filter((one) => one.sourceAppId !== sourceAppId);
    const next =
      others.length < favourites.length ? others : [{ sourceAppId, name }, ...others].slice(0, MAX_FAVOURITES);
    setFavourites(next);
    try {
      localStorage.setItem(keyOf(session), JSON.stringify(next));
    } catch {
      // Storage can be full or disabled. The favourites then last until the page is closed.
    }
  };
  return { favourites, isFavourite, toggle };
}
