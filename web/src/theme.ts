import { Badge, createTheme, Menu, Modal, Notification, Popover, Select, Text } from '@mantine/core';
import { t } from './texts/first-texts.ts';

/** Default props of Mantine's components. Colours and fonts are in theme.css. */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none' } }),
    // Mantine's scroll lock injects a style element, which the content security policy blocks.
    // theme.css locks scrolling instead.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'md',
        closeButtonProps: { 'aria-label': t.common.close },
      },
    }),
    // A header of a dialog is no banner of the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
    // An element with role menu may contain only menu items; the placeholder is not one.
    // All content of a page is in a landmark, menus too: shell.tsx has the element for them.
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        withInitialFocusPlaceholder: false,
        portalProps: { target: '#menus' },
      },
    }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': t.components.dismiss } },
      // Mantine's own colour has too little contrast.
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md' } }),
    Select: Select.extend({ defaultProps: { allowDeselect: false } }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
  },
});
