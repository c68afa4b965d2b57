import { z } from 'zod';

// Zod tests whether it may use `new Function`, and the content security policy would report the
// attempt. This module must be imported before the modules that define Zod schemas.
z.config({ jitless: true });
