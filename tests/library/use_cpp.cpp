// aptune.h in C++17: a handle that ends by itself, errors as exceptions, a callback.
#include <aptune.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

class Tuner
{
  public:
    Tuner() : handle_(aptune_new(), aptune_free)
    {
        if (!handle_)
            throw std::runtime_error("no memory");
    }

    void set(const std::string &name, const std::string &value)
    {
        check(aptune_set(handle_.get(), name.c_str(), value.c_str()));
    }

    void set(const std::string &name)
    {
        check(aptune_set(handle_.get(), name.c_str(), nullptr));
    }

    std::string tune()
    {
        check(aptune_tune(handle_.get()));
        std::size_t best = aptune_best(handle_.get());
        if (best == APTUNE_NOTHING || std::isnan(aptune_time_ms(handle_.get(), best)))
            throw std::runtime_error("no winner");
        return aptune_name(handle_.get(), best);
    }

    aptune *get() const
    {
        return handle_.get();
    }

  private:
    void check(aptune_status status) const
    {
        if (status != APTUNE_OK)
            throw std::runtime_error(aptune_message(handle_.get()));
    }

    std::unique_ptr<aptune, void (*)(aptune *)> handle_;
};

bool refuses_what_is_wrong()
{
    Tuner t;
    try {
        t.set("jobs", "many");
    } catch (const std::runtime_error &e) {
        return std::string(e.what()).find("--jobs takes a whole number") != std::string::npos;
    }
    return false;
}

bool replays_a_recording()
{
    Tuner t;
    std::size_t messages = 0;
    aptune_on_message(
        t.get(),
        [](void *context, aptune_severity, const char *) {
            ++*static_cast<std::size_t *>(context);
        },
        &messages);
    t.set("space", SOURCE_DIR "/spaces/transpose-tutorial.spec");
    t.set("no-gpu");
    std::string best = t.tune();
    std::printf("%s (%zu messages)\n", best.c_str(), messages);
    return aptune_source(t.get()) == APTUNE_REPLAYED && best.find("TILE=") != std::string::npos;
}

} // namespace

int main()
{
    bool ok =
        refuses_what_is_wrong() && replays_a_recording() && aptune_interface() == APTUNE_INTERFACE;
    return ok ? 0 : 1;
}
