-- Running services rebuild their schema (src/database/listenForChanges.ts). Also useful by hand, after a manual change.
notify schema_changed;
