import type { backgroundWork as en } from '../en/background-work.tsx';
import { formatNumber } from '../format.ts';
import { common } from './common.tsx';

export const backgroundWork: typeof en = {
  title: 'Arbeiten im Hintergrund',
  building: (field) => `Index von ${field} wird aufgebaut`,
  dropping: (field) => `Index von ${field} wird entfernt`,
  indexOf: (field) => `Index von ${field}`,
  moving: (to) => `Werte werden nach „${to}“ verschoben`,
  movingFrom: (from, to) => `Werte von „${from}“ werden nach „${to}“ verschoben`,
  valuesOf: (field) => `Werte von ${field}`,
  buildingNext:
    'Listen funktionieren währenddessen. Sobald der Index fertig ist, sind Filtern und Sortieren nach diesem Feld schnell.',
  droppingNext: 'Listen funktionieren währenddessen.',
  movingNext:
    'Listen und Exporte zeigen schon alle Werte unter dem neuen Schlüssel. Andere Felder können Sie umbenennen, wenn das Verschieben beendet ist.',
  progress: (work, done, total) => `${work}: ${formatNumber(done)} von ${common.users(total)}`,
};
