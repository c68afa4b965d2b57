import { formatNumber } from '../format.ts';
import { common } from './common.tsx';

export const backgroundWork = {
  title: 'Background work',
  building: (field: string) => `Building the index of ${field}`,
  dropping: (field: string) => `Dropping the index of ${field}`,
  indexOf: (field: string) => `Index of ${field}`,
  moving: (to: string) => `Moving values to “${to}”`,
  movingFrom: (from: string, to: string) => `Moving values of “${from}” to “${to}”`,
  valuesOf: (field: string) => `Values of ${field}`,
  buildingNext:
    'You can use the lists during this work. When the index is ready, filters and sorting by this field are fast.',
  droppingNext: 'You can use the lists during this work.',
  movingNext:
    'Lists and exports show all values under the new key already. You can rename other fields when the move has ended.',
  // `work` is one of the texts above.
  progress: (work: string, done: number, total: number) => `${work}: ${formatNumber(done)} of ${common.users(total)}`,
};
