import { encode } from 'uqr';
import classes from './account.module.css';

interface QrCodeProps {
  /** What a camera reads. */
  text: string;
  label: string;
}

/** A picture of a text for cameras: dark on white in both colour schemes, with the quiet zone. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, data } = encode(text, { border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className={classes.qrCode} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={dark.join('')} shapeRendering="crispEdges" />
    </svg>
  );
}
