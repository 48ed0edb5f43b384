-- Running services listen (src/database/followSchema.ts) and rebuild their schema. Anyone may notify, after a change by hand.
notify schema_changed;
