import { z } from 'zod';

// Zod tries whether it may compile code, and the policy would report the attempt. This module comes before those that build schemas.
z.config({ jitless: true });
