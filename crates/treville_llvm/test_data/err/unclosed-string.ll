source_filename = "a.c
