/* Stands in for libFuzzer's main: runs the target once on every file of the folders
 * given, so that every build replays the corpora. Options (-…) are ignored. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    uint8_t *data = NULL;
    size_t size = 0, got;
    do {
        uint8_t *grown = realloc(data, size + 65536);
        if (!grown)
            abort();
        data = grown;
        got = fread(data + size, 1, 65536, f);
        size += got;
    } while (got == 65536);
    fclose(f);
    /* An exact copy, so that a sanitizer sees a read past the end. */
    uint8_t *exact = malloc(size ? size : 1);
    for (size_t i = 0; i < size; i++)
        exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        DIR *dir = opendir(argv[i]);
        if (!dir) {
            fprintf(stderr, "%s: no such corpus\n", argv[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(dir));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            files += replay(path);
        }
        closedir(dir);
    }
    printf("%d inputs replayed\n", files);
    return files ? 0 : 1;
}
