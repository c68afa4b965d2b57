import { createTheme, Menu, Modal, Popover, Select, Tooltip } from '@mantine/core';

/** Colours and fonts are in theme.css; here is how components behave. */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine locks the page's scrolling by a style element, which the policy forbids; theme.css does it.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, radius: 'md', closeButtonProps: { 'aria-label': 'Close' } },
    }),
    // A menu may hold menu items only; Mantine would put an element for the first focus before them.
    Menu: Menu.extend({ defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false } }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md' } }),
    Select: Select.extend({ defaultProps: { allowDeselect: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300 } }),
  },
});
