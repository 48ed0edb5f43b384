-- Running services make their schema anew (src/database/listenForChanges.ts). Anyone may say it, after a change by hand.
notify schema_changed;
